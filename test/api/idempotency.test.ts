/** A write happens once for its Idempotency-Key, and every repeat gets the first answer, byte for byte. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { data, freshAddress, makeKey, makeUser } from '../areas/accounts.ts';
import { everyPage, folderOf, rfc822 } from '../areas/mail-world.ts';
import { letTimePass, putClock } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type Answer, OWNER_KEY, type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { atOnce } from '../nodes/at-once.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { type Node, sendWrite, startNode, type Write, type WriteAnswer } from './nodes.ts';

const DUPLICATES = 50;
/** What is larger goes to the blob store. */
const LARGE = 'x'.repeat(300_000);

forEachEngine((engine) => {
  describe('idempotency', () => {
    let app: TestApp;
    let other: Node;
    before(async () => {
      app = await startApp(engine);
      other = await startNode(app.config);
    });
    after(async () => {
      await other.stop();
      await app.stop();
    });

    const newGroup = (): Write => {
      const name = randomUUID();
      return {
        path: '/v1/groups',
        body: JSON.stringify({ name, member_ids: [] }),
        idempotencyKey: randomUUID(),
      };
    };
    const again = async (first: Answer, repeat: () => Promise<Answer>) => {
      const second = await repeat();
      assert.equal(second.text, first.text);
      assert.equal(second.status, first.status);
      assert.equal(first.headers.get('idempotency-replayed'), null);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.equal(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
    };
    const groupsNamed = async (body: string) => {
      const { name } = JSON.parse(body);
      return (await everyPage(app, '/v1/groups', 100)).filter((group) => group.name === name).length;
    };
    const assertOnce = (answers: WriteAnswer[], status: number) => {
      assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [status]);
      assert.equal(
        new Set(answers.map(({ text }) => text)).size,
        1,
        'every answer is the same, byte for byte',
      );
      assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    };

    it('a write gives duplicates that arrive at once one effect and one answer (API-127, API-128, API-129)', async () => {
      const write = newGroup();
      const answers = await Promise.all(
        Array.from({ length: DUPLICATES }, () => sendWrite(app.address, write)),
      );
      assertOnce(answers, 201);
      assert.equal(await groupsNamed(write.body), 1);
    });

    it('a write gives duplicates that arrive at two nodes one effect and one answer (API-129)', async () => {
      const write = newGroup();
      const answers = await Promise.all(
        Array.from({ length: DUPLICATES }, (_, i) => sendWrite([app, other][i % 2]?.address ?? '', write)),
      );
      assertOnce(answers, 201);
      assert.equal(await groupsNamed(write.body), 1);
    });

    it('a write waits for its duplicate and for no write with another key (API-129)', {
      skip: engine === 'sqlite' && 'one writer',
    }, async () => {
      const [held, free] = [newGroup(), newGroup()];
      const me = data(await app.get('/v1/api-keys'))[0].id;
      const [workspace] = await app.services.database.read((tx) => app.services.directory.listWorkspaces(tx));
      const lock = {
        workspaceId: workspace?.id ?? '',
        scope: `idempotency ${me} ${held.idempotencyKey}`,
      } as const;
      const isHeld = Promise.withResolvers<void>();
      const isOver = Promise.withResolvers<void>();
      const holding = app.services.database.write(async (tx) => {
        await tx.lock(lock);
        await tx.settled();
        isHeld.resolve();
        await isOver.promise;
      });
      await isHeld.promise;
      let isAnswered = false;
      const waiting = sendWrite(app.address, held).finally(() => {
        isAnswered = true;
      });
      assert.equal((await sendWrite(app.address, free)).status, 201);
      assert.equal(isAnswered, false, 'a duplicate waits');
      isOver.resolve();
      await holding;
      assert.equal((await waiting).status, 201);
    });

    describe('keeps refusals of the operation, also when their cause has gone: (API-130)', () => {
      it('404', async () => {
        const options = { idempotencyKey: randomUUID(), headers: { 'content-type': 'message/rfc822' } };
        const send = () => app.post('/v1/folders/fld_none/messages', rfc822(), options);
        const first = await send();
        assert.equal(first.status, 404);
        await again(first, send);
      });

      it('404 of a user that is made afterwards', async () => {
        const options = { idempotencyKey: randomUUID() };
        const missing = 'usr_01h2xcejqtf2nbrexx3vqjhp41';
        const send = () => app.post('/v1/groups', { name: 'G', member_ids: [missing] }, options);
        const first = await send();
        assert.equal(first.status, 404, first.text);
        const { id } = await makeUser(app);
        await renameUser(app, id, missing);
        await again(first, send);
        const group = await app.post('/v1/groups', { name: 'G', member_ids: [missing] });
        assert.equal(group.status, 201, 'with a new key it works');
      });

      it('409 email_taken', async () => {
        const email = freshAddress();
        const { id } = await makeUser(app, { email });
        const options = { idempotencyKey: randomUUID() };
        const send = () => app.post('/v1/users', { email, name: 'Second' }, options);
        const first = await send();
        assert.equal(first.json.error.code, 'email_taken');
        data(await app.put(`/v1/users/${id}`, { email: freshAddress() }));
        await again(first, send);
        assert.equal((await app.post('/v1/users', { email, name: 'Second' })).status, 201);
      });
    });

    it('a refusal with 410, 412 or 422 is kept as well (API-130)', async () => {
      const { id } = data(await app.post('/v1/documents', { type: 'document', title: 'T' }), 201);
      const { session_id: upload } = data(
        await app.post('/v1/files/uploads', { filename: 'a', size: 1 }),
        201,
      );
      assert.equal((await app.delete(`/v1/files/uploads/${upload}`)).status, 204);
      const content = (ifMatch: string) => ({
        body: 'text',
        headers: { 'content-type': 'text/markdown', 'if-match': ifMatch },
      });
      const refused: [status: number, method: string, path: string, options: RequestOptions][] = [
        [410, 'POST', `/v1/files/uploads/${upload}/complete`, {}],
        [412, 'PUT', `/v1/documents/${id}/content`, content('another')],
        [422, 'POST', '/v1/messages', { body: { to: ['nobody@localhost'] } }],
      ];
      for (const [status, method, path, options] of refused) {
        const send = (idempotencyKey: string) => app.request(method, path, { ...options, idempotencyKey });
        const key = randomUUID();
        const first = await send(key);
        assert.equal(first.status, status, first.text);
        await again(first, () => send(key));
      }
    });

    it('reading by POST takes the header and ignores it (API-123)', async () => {
      const times = { start: '2026-03-02T00:00:00Z', end: '2026-03-09T00:00:00Z' };
      const condition = { field: 'subject', op: 'contains', value: 'x' };
      const reads: Record<string, (name: string) => object> = {
        '/v1/freebusy': (name) => ({ attendees: [`${name}@localhost`], ...times }),
        '/v1/freebusy/find': (name) => ({ attendees: [`${name}@localhost`], ...times }),
        '/v1/mail/filters/preview': (value) => ({
          rule: { conditions: [{ ...condition, value }], actions: [{ type: 'mark_read' }] },
        }),
      };
      for (const [path, body] of Object.entries(reads)) {
        for (const name of ['one', 'other']) {
          for (const idempotencyKey of [null, 'the-same']) {
            const { status, headers, text } = await app.post(path, body(name), { idempotencyKey });
            assert.deepEqual([status, headers.get('idempotency-replayed')], [200, null], text);
          }
        }
      }
    });

    it('a repeat names the request that was carried out in the header where the answer has no body (API-128)', async () => {
      const { id } = await makeKey(app, ['directory.read']);
      const options = { idempotencyKey: randomUUID() };
      const send = () => app.delete(`/v1/api-keys/${id}`, options);
      const first = await send();
      assert.equal(first.status, 204, first.text);
      await again(first, send);
    });

    describe('keeps nothing of (API-131)', () => {
      const refusals: Record<string, [options: RequestOptions, code: ErrorCode]> = {
        'a request without a key': [{ key: null }, 'unauthenticated'],
        'one with an unknown key': [{ key: 'atr_nobody' }, 'invalid_api_key'],
        'one of another media type': [
          { headers: { 'content-type': 'text/plain' } },
          'unsupported_media_type',
        ],
        'one that is too large': [
          { body: ' '.repeat(10_000_001), headers: { 'content-type': 'application/json' } },
          'payload_too_large',
        ],
        'one that is no JSON': [
          { body: '{', headers: { 'content-type': 'application/json' } },
          'invalid_json',
        ],
        'one that does not fit': [{ body: { name: 'x' } }, 'validation_failed'],
      };
      for (const [what, [options, code]] of Object.entries(refusals)) {
        it(`nothing is kept of ${what}`, async () => {
          const idempotencyKey = randomUUID();
          const body = { name: 'Later', member_ids: [] };
          const refused = await app.post('/v1/groups', body, { ...options, idempotencyKey });
          assert.equal(refused.json.error.code, code);
          const { status, headers } = await app.post('/v1/groups', body, { idempotencyKey });
          assert.deepEqual([status, headers.get('idempotency-replayed')], [201, null]);
        });
      }

      it('one without the permission, once the key has it', async () => {
        const { key, id } = await makeKey(app, ['directory.read']);
        const options = { key, idempotencyKey: randomUUID() };
        const body = { name: 'Later', member_ids: [] };
        assert.equal((await app.post('/v1/groups', body, options)).status, 403);
        await grant(app, id, ['directory.write']);
        assert.equal((await app.post('/v1/groups', body, options)).status, 201);
      });

      it('one without If-Match, where that is required', async () => {
        const { id } = data(await app.post('/v1/documents', { type: 'document', title: 'T' }), 201);
        const send = (headers: Record<string, string>) =>
          app.request('PUT', `/v1/documents/${id}/content`, {
            body: 'text',
            headers: { 'content-type': 'text/markdown', ...headers },
            idempotencyKey: `if-match-${id}`,
          });
        assert.equal((await send({})).status, 428);
        assert.equal((await send({ 'if-match': '*' })).status, 200);
      });

      it('one that fails within', { skip: OF_ONE_NODE }, async (t) => {
        const idempotencyKey = randomUUID();
        const failing = t.mock.method(app.services.directory, 'createUser', () => {
          throw new Error('not today');
        });
        const user = { name: 'Later', email: `${randomUUID()}@localhost` };
        const send = () => app.post('/v1/users', user, { idempotencyKey });
        assert.equal((await send()).status, 500);
        failing.mock.restore();
        assert.equal((await send()).status, 201);
      });
    });

    describe('answers a repeat only', () => {
      it('to a key that is live (API-86)', async () => {
        const { key, id } = await makeKey(app, ['directory.write']);
        const write = { ...newGroup(), key };
        assert.equal((await sendWrite(app.address, write)).status, 201);
        await app.delete(`/v1/api-keys/${id}`);
        await atOnce(async () => (await sendWrite(app.address, write)).status === 401, 'a revoked key');
      });

      it('to a key that still has the permission (API-86)', async () => {
        const { key, id } = await makeKey(app, ['directory.write']);
        const write = { ...newGroup(), key };
        assert.equal((await sendWrite(app.address, write)).status, 201);
        await grant(app, id, ['directory.read']);
        assert.equal((await sendWrite(app.address, write)).status, 403);
      });

      it('to the key that wrote: for another one it is another write (API-124)', async () => {
        const { key } = await makeKey(app, ['directory.write']);
        const write = newGroup();
        const answers = await Promise.all([
          sendWrite(app.address, write),
          sendWrite(app.address, { ...write, key }),
        ]);
        assert.deepEqual(
          answers.map(({ status, replayed }) => [status, replayed]),
          [
            [201, false],
            [201, false],
          ],
        );
        assert.equal(await groupsNamed(write.body), 2);
      });
    });

    describe('refuses the key for another (API-72, API-125, API-126)', () => {
      const write = newGroup();
      let id: string;
      before(async () => {
        const answer = await sendWrite(app.address, write);
        id = JSON.parse(answer.text).data.id;
      });
      const others: Record<string, () => Partial<Write>> = {
        'method and path': () => ({ method: 'PUT', path: `/v1/groups/${id}` }),
        path: () => ({ path: '/v1/resources', body: JSON.stringify({ name: 'R', kind: 'room' }) }),
        query: () => ({ path: '/v1/groups?' }),
        body: () => ({ body: `${write.body} ` }),
      };
      for (const [what, change] of Object.entries(others)) {
        it(`a key is refused for another ${what}`, async () => {
          const { status, text } = await sendWrite(app.address, { ...write, ...change() });
          assert.equal(status, 422, text);
          assert.equal(JSON.parse(text).error.code, 'idempotency_key_reused');
          assert.equal(await groupsNamed(write.body), 1);
        });
      }

      it('the first write is still answered after the key was refused for others (API-131)', async () => {
        const { status, replayed } = await sendWrite(app.address, write);
        assert.deepEqual([status, replayed], [201, true]);
      });
    });

    for (const [size, text] of [
      ['small', 'Hello'],
      ['large', LARGE],
    ] as const) {
      const skip = size === 'large' && OF_ONE_NODE;
      it(`takes a ${size} message once, and keeps nothing of the repeats (API-125, API-128)`, {
        skip,
      }, async () => {
        const inbox = await folderOf(app, 'inbox');
        const write = {
          path: `/v1/folders/${inbox}/messages?label=${randomUUID()}`,
          body: rfc822({ body: text }),
          idempotencyKey: randomUUID(),
          contentType: 'message/rfc822',
        };
        const blobs = storedBlobs(app).length;
        const answers = await Promise.all(Array.from({ length: 5 }, () => sendWrite(app.address, write)));
        answers.push(await sendWrite(other.address, write));
        assertOnce(answers, 201);
        for (const body of [`${write.body}.`, write.body.replace(/.$/s, '.')]) {
          assert.notEqual(body, write.body);
          assert.equal((await sendWrite(app.address, { ...write, body })).status, 422);
        }
        assert.equal((await everyPage(app, `/v1/messages?${write.path.split('?')[1]}`, 50)).length, 1);
        assert.equal(storedBlobs(app).length - blobs, size === 'large' ? 1 : 0);
        assert.equal(await pendingBlobs(app), 0);
      });
    }

    it('keeps nothing of a large message for an unknown folder', async () => {
      const blobs = storedBlobs(app).length;
      const answer = await sendWrite(app.address, {
        path: '/v1/folders/fld_none/messages',
        body: rfc822({ body: LARGE }),
        idempotencyKey: randomUUID(),
        contentType: 'message/rfc822',
      });
      assert.equal(answer.status, 404);
      assert.deepEqual([storedBlobs(app).length, await pendingBlobs(app)], [blobs, 0]);
    });

    it('answers the repeat of a small file also where it would be refused by now, and keeps nothing of it', {
      skip: OF_ONE_NODE,
    }, async () => {
      const folder = data(await app.post('/v1/file-folders', { name: randomUUID() }), 201);
      const write = {
        path: `/v1/files?filename=a.txt&folder_id=${folder.id}`,
        body: 'Hello',
        idempotencyKey: randomUUID(),
        contentType: 'text/plain',
      };
      const blobs = storedBlobs(app).length;
      const answers = [await sendWrite(app.address, write), await sendWrite(app.address, write)];
      const { free } = app.services.blobs;
      app.services.blobs.free = async () => 1;
      answers.push(await sendWrite(app.address, write));
      const another = await sendWrite(app.address, { ...write, idempotencyKey: randomUUID() });
      app.services.blobs.free = free;
      assert.equal(another.status, 507);
      assert.equal((await app.delete(`/v1/file-folders/${folder.id}`)).status, 204);
      answers.push(await sendWrite(app.address, write));
      assertOnce(answers, 201);
      await eventually(async () => (await pendingBlobs(app)) === 0, 'the bytes of the repeats are discarded');
      assert.equal(storedBlobs(app).length - blobs, 1);
    });

    it('keeps a long answer in little room, and gives it again byte for byte', async () => {
      const book = data(await app.post('/v1/address-books', { name: 'Long' }), 201);
      const notes = 'Likes é and numbers. '.repeat(2_000);
      const body = JSON.stringify({ address_book_id: book.id, given_name: 'Ada', notes });
      const write = { path: '/v1/contacts', body, idempotencyKey: randomUUID() };
      const answers = [await sendWrite(app.address, write), await sendWrite(other.address, write)];
      assertOnce(answers, 201);
      assert.equal(answers[1]?.replayed, true);
      const [record] = await recordsOf(app, write.idempotencyKey);
      assert.ok(String(record?.body).length < body.length / 10, 'the answer shows the notes');
    });

    it('a repeat tells a new key again, which is nowhere in clear (API-133)', async () => {
      const body = JSON.stringify({ name: 'secret', permissions: ['keys.read'] });
      const write = { path: '/v1/api-keys', body, idempotencyKey: randomUUID() };
      const answers = [await sendWrite(app.address, write), await sendWrite(other.address, write)];
      assertOnce(answers, 201);
      const { key } = JSON.parse(answers[0]?.text ?? '').data;
      assert.match(key, /^atr_/);
      for (const secret of [key, OWNER_KEY]) {
        for (const text of await everythingStored(app)) assert.ok(!text.includes(secret));
      }
    });

    if (engine === 'postgres') {
      it('answers again though the clock of a node is days ahead', async (t) => {
        const write = newGroup();
        const first = await sendWrite(app.address, write);
        putClock(t, 2 * app.config.idempotencyTtlSeconds * 1_000);
        assertOnce([first, await sendWrite(other.address, write)], 201);
      });
    }

    it('a write is forgotten when its time is over, in the table too (API-132, OPS-28)', async (t) => {
      const ttlMs = app.config.idempotencyTtlSeconds * 1_000;
      const write = newGroup();
      const first = await sendWrite(app.address, write);
      assert.equal((await sendWrite(app.address, write)).text, first.text);
      await letTimePass(app.services, ttlMs);
      const second = await sendWrite(app.address, write);
      assert.deepEqual([second.status, second.replayed], [201, false]);
      assert.equal(await groupsNamed(write.body), 2);
      assert.equal((await recordsOf(app, write.idempotencyKey)).length, 1);
      await letTimePass(app.services, ttlMs);
      const sweeping = await startNode(app.config);
      t.after(() => sweeping.stop());
      const isGone = async () => (await recordsOf(app, write.idempotencyKey)).length === 0;
      await eventually(isGone, 'the expired record is swept');
    });
  });
});

async function grant({ services }: TestApp, id: string, permissions: string[]): Promise<void> {
  await services.database.write((tx) =>
    tx
      .updateTable('api_keys')
      .set({ permissions: JSON.stringify(permissions) })
      .where('id', '=', id)
      .execute(),
  );
  services.authentication.forget();
}

/** Gives a user the id that a refused request named. */
async function renameUser({ services }: TestApp, from: string, to: string): Promise<void> {
  await services.database.write((tx) =>
    tx.updateTable('users').set({ id: to }).where('id', '=', from).execute(),
  );
}

function recordsOf({ services }: TestApp, idempotencyKey: string) {
  return services.database.read((tx) =>
    tx.selectFrom('idempotency_records').selectAll().where('idempotency_key', '=', idempotencyKey).execute(),
  );
}

function storedBlobs({ config }: TestApp): string[] {
  return globSync('blobs/**', { cwd: config.dataDir, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

async function pendingBlobs({ services }: TestApp): Promise<number> {
  return (await services.database.read((tx) => tx.selectFrom('pending_blobs').selectAll().execute())).length;
}

/** Every file of the data directory, and the rows that may hold an answer. */
async function everythingStored({ config, services }: TestApp): Promise<string[]> {
  const files = globSync('**', { cwd: config.dataDir, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const rows = await services.database.read(async (tx) => [
    await tx.selectFrom('idempotency_records').selectAll().execute(),
    await tx.selectFrom('api_keys').selectAll().execute(),
  ]);
  return [
    ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')),
    JSON.stringify(rows),
  ];
}
