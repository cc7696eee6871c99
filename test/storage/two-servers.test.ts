/** Two nodes that reach one database through different servers of its cluster: what may happen once happens once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import type { ChangesPage } from '../../src/areas/changes/schema.ts';
import { openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { startServer } from '../../src/start/server.ts';
import { CITUS_URL, type CitusDatabase, makeCitusDatabase } from '../citus.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { provideBlobs } from '../nodes/nodes.ts';

const ROUNDS = 5;
/** Each is six uploads of the same content, and six under one Idempotency-Key. */
const UPLOADS = 2;
/** By turns to the one and the other. */
const AT_ONCE = 6;
const FEED_ROUNDS = 20;
const READ_EVERY_MS = 20;

interface Reply {
  readonly status: number;
  readonly data: { id: string };
}

describe('two nodes on two servers of a cluster', {
  skip: CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
}, () => {
  let cluster: CitusDatabase;
  let app: TestApp;
  let addresses: [string, string];
  let stop: () => Promise<void>;
  before(async () => {
    cluster = await makeCitusDatabase(CITUS_URL ?? '');
    const [first = '', second = ''] = cluster.workerUrls;
    const blobs = await provideBlobs();
    app = await startApp('postgres', { ...blobs.settings, ATRIUM_DATABASE_URL: first });
    const { dataDir } = app.config;
    const config = readConfig({
      ATRIUM_PORT: '0',
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_DATABASE_URL: second,
      ATRIUM_OWNER_KEY: OWNER_KEY,
      ...blobs.settings,
    });
    const server = await startServer(config, await openServices(config), pino({ level: 'silent' }));
    addresses = [app.address, server.address];
    stop = async () => {
      await server.stop();
      await app.stop();
      // Waits for its connections, which the nodes have kept until now.
      await blobs.stop();
      await cluster.remove();
    };
  });
  after(() => stop());

  const send = async (
    n: number,
    path: string,
    body: unknown,
    { idempotencyKey = randomUUID() as string, method = 'POST', headers = {}, key = OWNER_KEY } = {},
  ): Promise<Reply> => {
    const isBytes = typeof body === 'string';
    const answer = await fetch(`${addresses[n % 2]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': idempotencyKey,
        'content-type': isBytes ? 'text/plain' : 'application/json',
        ...headers,
      },
      body: isBytes ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, data: text === '' ? undefined : JSON.parse(text).data };
  };
  const all = (ask: (n: number) => Promise<Reply>) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(n)));
  const done = (replies: readonly Reply[]) => replies.filter(({ status }) => status < 300);
  /** In each round one of those who ask at once gets it, and the others are refused. */
  const oneOfAll = async (ask: (n: number, round: number) => Promise<Reply>) => {
    for (let round = 0; round < ROUNDS; round++) {
      const replies = await all((n) => ask(n, round));
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)], `round ${round}`);
    }
  };

  it('make one mail folder of a name (OPS-82)', () =>
    oneOfAll((n, round) => send(n, '/v1/folders', { name: `mail ${round}` })));

  it('book a room once for the same time (OPS-82)', async () => {
    const room = (await send(0, '/v1/resources', { name: 'Room', kind: 'room', capacity: 5 })).data.id;
    const calendar = (await app.get('/v1/calendars')).json.data[0].id;
    await oneOfAll((n, round) =>
      send(n, `/v1/calendars/${calendar}/events`, {
        starts_at: new Date(Date.UTC(2030, 0, 1 + round, 10)).toISOString(),
        ends_at: new Date(Date.UTC(2030, 0, 1 + round, 11)).toISOString(),
        resources: [room],
      }),
    );
  });

  it('leave one of the last owners (OPS-82)', async () => {
    const emails = ['one@owners.example', 'two@owners.example'];
    const owners = await Promise.all(
      emails.map(async (email, n) => (await send(n, '/v1/users', { email, name: email })).data.id),
    );
    const { database, directory } = app.services;
    const workspaceId = (await database.read((tx) => directory.listWorkspaces(tx)))[0]?.id ?? '';
    await database.write(async (tx) => {
      const change = (owner: 0 | 1) =>
        tx.updateTable('users').set({ is_owner: owner }).where('workspace_id', '=', workspaceId);
      await change(0).execute();
      await change(1).where('id', 'in', owners).execute();
    });
    const put = (n: number, state: string) => send(n, `/v1/users/${owners[n]}`, { state }, { method: 'PUT' });
    for (let round = 0; round < ROUNDS; round++) {
      const statuses = (await Promise.all([0, 1].map((n) => put(n, 'suspended')))).map(
        ({ status }) => status,
      );
      assert.deepEqual(statuses.sort(), [200, 409]);
      for (const n of [0, 1]) await put(n, 'active');
    }
  });

  it('do once what comes under one Idempotency-Key, and answer all alike (OPS-82)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const idempotencyKey = randomUUID();
      const replies = await all((n) =>
        send(n, '/v1/groups', { name: `group ${round}`, member_ids: [] }, { idempotencyKey }),
      );
      assert.equal(done(replies).length, AT_ONCE);
      assert.equal(new Set(replies.map(({ data }) => data.id)).size, 1);
    }
    const groups = (await app.get('/v1/groups?limit=100')).json.data as { name: string }[];
    assert.equal(groups.filter(({ name }) => name.startsWith('group ')).length, ROUNDS);
  });

  it('store once what is uploaded under one Idempotency-Key, and each of the same content (OPS-82)', async () => {
    for (let round = 0; round < UPLOADS; round++) {
      const idempotencyKey = randomUUID();
      const path = `/v1/files?filename=same-${round}.txt`;
      const replies = await all((n) => send(n, path, `content ${round}`, { idempotencyKey }));
      assert.equal(done(replies).length, AT_ONCE, JSON.stringify(replies));
      assert.equal(new Set(replies.map(({ data }) => data.id)).size, 1);
      const apart = await all((n) => send(n, `/v1/files?filename=${n}.txt`, `content ${round}`));
      for (const { data } of done(apart)) {
        const read = await fetch(`${addresses[round % 2]}/v1/files/${data.id}/content`, {
          headers: { authorization: `Bearer ${OWNER_KEY}` },
        });
        assert.equal(await read.text(), `content ${round}`);
      }
    }
  });

  it('tell every change of both once, in the order of commits (OPS-94)', async () => {
    const cursor = (await app.get('/v1/changes')).json.data.cursor;
    const made: string[] = [];
    let isDone = false;
    const readers = [0, 1].map((n) => followed(addresses[n] ?? '', cursor, () => isDone));
    // Holds a transaction open on one of the servers, which the feed waits for on a single one.
    const other = new pg.Client(cluster.workerUrls[1]);
    await other.connect();
    await other.query('begin; select pg_current_xact_id()');
    for (let round = 0; round < FEED_ROUNDS; round++) {
      const name = `told ${round}`;
      const replies = await all((n) =>
        n === 0
          ? send(round, '/v1/folders', { name })
          : send(n, '/v1/groups', { name: randomUUID(), member_ids: [] }),
      );
      made.push(...done(replies).map(({ data }) => data.id));
    }
    isDone = true;
    const read = await Promise.all(readers);
    await other.query('rollback');
    await other.end();
    for (const ids of read) {
      assert.deepEqual(ids.toSorted(), made.toSorted());
      const folders = made.filter((id) => id.startsWith('fld_'));
      assert.deepEqual(
        ids.filter((id) => id.startsWith('fld_')),
        folders,
      );
    }
  });

  it('find on both what was written through either (OPS-94)', async () => {
    const ids = (
      await Promise.all(
        [0, 1].map((n) => send(n, '/v1/documents', { type: 'document', title: `herring ${n}` })),
      )
    ).map(({ data }) => data.id);
    for (const address of addresses)
      await eventually(async () => {
        const answer = await fetch(`${address}/v1/search?q=herring`, {
          headers: { authorization: `Bearer ${OWNER_KEY}` },
        });
        const { data } = (await answer.json()) as { data: { id: string }[] };
        return data.length === ids.length && data.every(({ id }) => ids.includes(id));
      }, 'both are found');
  });

  it('find what is seen later than changes of other workspaces with higher numbers', async (t) => {
    const { fullTextIndex, indexer } = app.services;
    await indexer.stop();
    const { id } = (await send(1, '/v1/documents', { type: 'document', title: 'late herring' })).data;
    const found = async () => {
      await indexer.catchUp();
      return (await app.get('/v1/search?q=late')).json.data.map((hit: { id: string }) => hit.id);
    };
    // As though the index had followed another workspace beyond it.
    const state = await fullTextIndex.state();
    assert.ok(state);
    const { transaction, number } = state.position;
    const position = { transaction: transaction + 300e6, number: number + 1 };
    await fullTextIndex.write({ from: state, to: { ...state, position }, objects: [], removed: [] });
    assert.deepEqual(await found(), []);
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + 61_000);
    assert.deepEqual(await found(), [id]);
    indexer.start((error) => assert.fail(String(error)));
  });

  it('commit what a workspace writes on its server alone (OPS-83)', async () => {
    const [calendar] = (await app.get('/v1/calendars')).json.data as { id: string }[];
    const [book] = (await app.get('/v1/address-books')).json.data as { id: string }[];
    const write = async (n: number) => {
      const times = { starts_at: '2031-01-01T10:00:00Z', ends_at: '2031-01-01T11:00:00Z' };
      const replies = [
        await send(n, '/v1/files?filename=alone.txt', 'alone'),
        await send(n, '/v1/folders', { name: randomUUID() }),
        await send(n, `/v1/calendars/${calendar?.id}/events`, times),
        await send(n, '/v1/contacts', { address_book_id: book?.id, name: 'Ada Lovelace' }),
      ];
      assert.equal(done(replies).length, replies.length, JSON.stringify(replies));
    };
    const preparedBy = async (work: () => Promise<unknown>) => {
      const before = new Set(await prepared(cluster));
      await work();
      return (await prepared(cluster)).filter((name) => !before.has(name));
    };
    const email = `${randomUUID()}@prepared.example`;
    const everywhere = await preparedBy(() => send(0, '/v1/users', { email, name: 'x' }));
    assert.ok(everywhere.length > 0, 'an address is written on every server');
    // A sweep of a node may come between.
    let others = ['none was tried'];
    for (let n = 0; n < 6 && others.length > 0; n++) others = await preparedBy(() => write(n));
    assert.deepEqual(others, []);
  });
});

/** The ids of folders and groups that a reader is told of, until it is told nothing more. */
async function followed(address: string, from: string, isDone: () => boolean): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = from, isLast = false; ; ) {
    const answer = await fetch(`${address}/v1/changes?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${OWNER_KEY}` },
    });
    const { data } = (await answer.json()) as { data: ChangesPage };
    for (const { type, ids: named } of data.changes)
      if (type === 'folder.created' || type === 'group.created') ids.push(String(Object.values(named)[0]));
    cursor = data.cursor;
    if (data.changes.length > 0) continue;
    if (isLast) return ids;
    isLast = isDone();
    await pause(READ_EVERY_MS);
  }
}

/** The transactions that were committed in two phases through the workers, by name; a minute later they are forgotten. */
async function prepared({ workerUrls }: CitusDatabase): Promise<string[]> {
  const names: string[] = [];
  for (const url of workerUrls) {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ gid: string }>('select gid from pg_dist_transaction');
    await client.end();
    names.push(...rows.map(({ gid }) => gid));
  }
  return names;
}
