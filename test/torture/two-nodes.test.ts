/** Two servers on one PostgreSQL and one S3 store: what one does the other knows. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { OWNER_KEY } from '../harness.ts';
import type { Actor } from './actor.ts';
import { actorAt } from './actor-at.ts';
import type { World } from './area.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { randomOf } from './random.ts';
import { makeWorld } from './world.ts';

const RACES = 20;
const REVOKED_WITHIN_MS = 5_000;
const MiB = 1024 * 1024;

describe('two nodes', { timeout: 1_800_000 }, () => {
  let cluster: Cluster;
  let world: World;
  let both: [Actor, Actor];
  before(async () => {
    cluster = await startCluster('two nodes');
    world = await makeWorld(cluster, randomOf('two nodes'), 2);
    both = [actorAt(cluster, 0, OWNER_KEY), actorAt(cluster, 1, OWNER_KEY)];
  });
  after(() => cluster.stop());

  const addressOf = (node: number) => cluster.addressOf(node);
  const send = (
    node: number,
    method: string,
    path: string,
    body: unknown,
    idempotencyKey: string,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${addressOf(node)}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': idempotencyKey,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  /** Asks both at once for what one of two may have; answers their statuses in order. */
  const race = async (method: string, path: string, bodyOf: (node: number) => unknown, headers = {}) => {
    const asked = [0, 1].map((node) => send(node, method, path, bodyOf(node), randomUUID(), headers));
    const answers = await Promise.all(asked);
    await Promise.all(answers.map((answer) => answer.text()));
    return answers.map(({ status }) => status).sort();
  };
  const make = async (path: string, body: object) =>
    (await both[0].must({ method: 'POST', path, body })).data;

  it('do what both are asked at once under one key once, and say the same', async () => {
    for (let i = 0; i < RACES; i++) {
      const body = { name: `race ${i}`, member_ids: [] };
      const key = randomUUID();
      const answers = await Promise.all([0, 1].map((node) => send(node, 'POST', '/v1/groups', body, key)));
      const [one, other] = await Promise.all(answers.map((answer) => answer.text()));
      assert.equal(one, other);
      const replayed = answers.map(({ headers }) => headers.get('idempotency-replayed'));
      assert.deepEqual(replayed.sort(), ['true', null].sort());
    }
    const groups = await both[1].walk('/v1/groups');
    assert.equal(groups.filter(({ name }) => name.startsWith('race ')).length, RACES);
  });

  it('refuse a key that was revoked on the other, or whose user was suspended, within five seconds', async () => {
    const permissions = ['directory.read'];
    const revoked = await make('/v1/api-keys', { name: 'short', permissions });
    const user = await make('/v1/users', { email: 'short@t.example', name: 'Short' });
    const suspended = await make('/v1/api-keys', { name: 'short', permissions, user_id: user.id });
    const statusesAt = (node: number) =>
      Promise.all(
        [revoked, suspended].map(async ({ key }) => {
          const headers = { authorization: `Bearer ${key}` };
          const answer = await fetch(`${addressOf(node)}/v1/users/me`, { headers });
          await answer.text();
          return answer.status;
        }),
      );
    assert.deepEqual([await statusesAt(0), await statusesAt(1)], [Array(2).fill(200), Array(2).fill(200)]);
    await both[0].must({ method: 'DELETE', path: `/v1/api-keys/${revoked.id}` });
    const body = { state: 'suspended' };
    await both[0].must({ method: 'PUT', path: `/v1/users/${user.id}`, body });
    assert.deepEqual(await statusesAt(0), [401, 401]);
    await pause(REVOKED_WITHIN_MS);
    assert.deepEqual(await statusesAt(1), [401, 401]);
  });

  it('take the cursors of each other', async () => {
    const ask = async (node: number, cursor: string) => {
      const path = `/v1/groups?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const headers = { authorization: `Bearer ${OWNER_KEY}` };
      const answer = await fetch(`${addressOf(node)}${path}`, { headers });
      assert.equal(answer.status, 200);
      return (await answer.json()) as {
        data: { id: string }[];
        pagination: { has_more: boolean; next_cursor: string };
      };
    };
    const ids: string[] = [];
    for (let node = 0, cursor = '', hasMore = true; hasMore; node = 1 - node) {
      const { data, pagination } = await ask(node, cursor);
      ids.push(...data.map(({ id }) => id));
      ({ has_more: hasMore, next_cursor: cursor } = pagination);
    }
    const all = await both[0].walk('/v1/groups');
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    );
  });

  it('take the parts of one upload, and read the file on either', async () => {
    const bytes = randomOf('upload').bytes(24 * MiB + 17);
    const body = { filename: 'both.bin', size: bytes.length };
    const { data } = await both[0].must({ method: 'POST', path: '/v1/files/uploads', body });
    const { session_id: session, part_size: size } = data;
    const headers = { 'content-type': 'application/octet-stream' };
    await Promise.all(
      [1, 2, 3, 4].map((number) =>
        (number % 2 ? both[0] : both[1]).must({
          method: 'PUT',
          path: `/v1/files/uploads/${session}/parts/${number}`,
          body: bytes.subarray((number - 1) * size, number * size),
          headers,
        }),
      ),
    );
    const path = `/v1/files/uploads/${session}/complete`;
    const file = (await both[1].must({ method: 'POST', path })).data;
    for (const actor of both)
      assert.ok(bytes.equals(await actor.download(`/v1/files/${file.id}/content`)), 'other bytes');
  });

  it('give a room to one of two who want it at the same time', async () => {
    const { data } = await both[0].must({ method: 'POST', path: '/v1/calendars', body: { name: 'Both' } });
    const path = `/v1/calendars/${data.id}/events`;
    for (let i = 0; i < RACES; i++) {
      const day = new Date(Date.UTC(2028, 0, 1 + i)).toISOString().slice(0, 10);
      const times = { starts_at: `${day}T09:00:00Z`, ends_at: `${day}T10:00:00Z` };
      const body = { ...times, resources: world.rooms };
      assert.deepEqual(await race('POST', path, () => body), [201, 409]);
    }
  });

  it('give a name or an address to one of two who want it at the same time', async () => {
    for (let i = 0; i < RACES; i++) {
      assert.deepEqual(await race('POST', '/v1/folders', () => ({ name: `race ${i}` })), [201, 409]);
      const user = { email: `race${i}@t.example`, name: 'Race' };
      assert.deepEqual(await race('POST', '/v1/users', () => user), [201, 409]);
    }
  });

  it('let one of two change what both have read', async () => {
    const { id: document } = await make('/v1/documents', { type: 'document', title: 'Race' });
    const { id: spreadsheet } = await make('/v1/documents', { type: 'spreadsheet', title: 'Race' });
    for (let i = 0; i < RACES; i++) {
      const content = `/v1/documents/${document}/content`;
      const [{ state }] = await both[1].get(`/v1/documents/${document}/revisions?limit=1`);
      const written = { 'if-match': state, 'content-type': 'text/markdown' };
      assert.deepEqual(await race('PUT', content, (node) => `${i} ${node}`, written), [200, 412]);
      const path = `/v1/spreadsheets/${spreadsheet}`;
      const seen = { 'if-match': (await both[1].get(path)).state };
      const sheet = (node: number) => ({ operations: [{ type: 'add_sheet', sheet: `${i} ${node}` }] });
      assert.deepEqual(await race('POST', `${path}/structure`, sheet, seen), [200, 412]);
    }
  });

  it('let one of two move a message away', async () => {
    const folders: { id: string }[] = [];
    for (const name of ['from', 'to 0', 'to 1']) folders.push(await make('/v1/folders', { name }));
    const [from, ...to] = folders.map(({ id }) => id);
    for (let i = 0; i < RACES; i++) {
      const path = `/v1/folders/${from}/messages`;
      const headers = { 'content-type': 'message/rfc822' };
      const { data } = await both[0].must({ method: 'POST', path, body: 'Subject: race\r\n\r\n', headers });
      const move = (node: number) => ({ message_ids: [data.id], to_folder_id: to[node] });
      assert.deepEqual(await race('POST', `${path}/move`, move), [200, 400]);
    }
    const counts = await both[1].get('/v1/folders');
    const countOf = (folder?: string) =>
      counts.find(({ id }: { id: string }) => id === folder)?.message_count;
    assert.deepEqual([countOf(from), countOf(to[0]) + countOf(to[1])], [0, RACES]);
  });

  it('complete an upload once for two who ask for it at the same time', async () => {
    const content = randomOf('race').bytes(1_000);
    const headers = { 'content-type': 'application/octet-stream' };
    for (let i = 0; i < RACES; i++) {
      const body = { filename: `race ${i}`, size: content.length };
      const { session_id: session } = await make('/v1/files/uploads', body);
      const path = `/v1/files/uploads/${session}`;
      await both[i % 2 ? 0 : 1].must({ method: 'PUT', path: `${path}/parts/1`, body: content, headers });
      assert.deepEqual(await race('POST', `${path}/complete`, () => undefined), [201, 409]);
    }
    const listed = await both[0].walk('/v1/files?q=race');
    assert.equal(listed.length, RACES);
    for (const { id } of listed)
      assert.ok(content.equals(await both[1].download(`/v1/files/${id}/content`)), 'other bytes');
  });

  it('read at once what the other wrote into a spreadsheet', async () => {
    const path = `/v1/spreadsheets/${world.spreadsheet}/values`;
    const put = (range: string, values: unknown[][], writer: Actor) =>
      writer.must({ method: 'PUT', path: `${path}/${range}`, body: { values } });
    await put('B1', [['=A1*2']], both[0]);
    for (let i = 1; i <= RACES; i++) {
      const [writer, reader] = i % 2 ? both : [both[1], both[0]];
      const { data } = await put('A1', [[i]], writer);
      const read = await reader.get(`${path}/A1:B1`);
      assert.deepEqual([read.values, read.state], [[[i, i * 2]], data.state]);
    }
  });

  it('send mail that leaves once', async () => {
    const subjects = Array.from({ length: RACES }, (_, i) => `leaving-${i}`);
    await Promise.all(
      subjects.map((subject, i) =>
        (i % 2 ? both[0] : both[1]).must({
          method: 'POST',
          path: '/v1/messages',
          body: { to: ['far@away.example'], subject, text: 'x' },
        }),
      ),
    );
    await cluster.relay.waitFor(RACES);
    // Whoever would send a second time has had the time to.
    await pause(2_000);
    const left = cluster.relay.arrived.map(({ raw }) => /^Subject: (\S+)\r$/m.exec(raw)?.[1]);
    assert.deepEqual(left.sort(), subjects.sort());
  });
});
