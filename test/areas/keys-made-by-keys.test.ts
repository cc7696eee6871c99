/** Keys that keys have made: they end no later, are known by their maker, and are revoked with it where asked. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { backUp } from '../../src/archive/backup.ts';
import { restore } from '../../src/archive/restore.ts';
import type { Permission } from '../../src/contract/permissions.ts';
import { openRestoreTarget, openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { verify } from '../../src/start/verification.ts';
import { setClockAhead } from '../clock.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { atOnce } from '../nodes/at-once.ts';
import { assertRefused, data, makeKey, makeUser, makeWorkspace, problems, readPages } from './accounts.ts';

const HOUR_MS = 3_600_000;
const MAKER: Permission[] = ['keys.read', 'keys.write', 'directory.read'];
const nothing = () => ({ rows: 0, blobs: 0, bytes: 0 });

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const works = async (key: string) => (await app.get('/v1/users/me', { key })).status === 200;
  const assertStops = (key: string) => atOnce(async () => !(await works(key)), 'the key stops');
  const made = (maker: { key: string }, fields: Record<string, unknown> = {}, permissions = MAKER) =>
    makeKey(app, permissions, fields, { key: maker.key });
  const revoke = (id: string, query = '', key?: string) =>
    app.delete(`/v1/api-keys/${id}${query}`, key === undefined ? {} : { key });

  /** A key of the owner that has made a key, which has made another. */
  async function threeGenerations(permissions = MAKER) {
    const first = await makeKey(app, permissions);
    const second = await made(first, {}, permissions);
    return [first, second, await made(second, {}, permissions)];
  }

  describe('a key that a key makes', () => {
    it('a key that a key makes ends with its maker where no end is given, and so does what it makes (DIR-29)', async (t) => {
      const expires_at = inMs(HOUR_MS);
      const maker = await makeKey(app, MAKER, { expires_at });
      const child = await made(maker);
      const grandchild = await made(child);
      assert.deepEqual([child.expires_at, grandchild.expires_at], [expires_at, expires_at]);
      assert.ok(await works(grandchild.key));
      setClockAhead(t, HOUR_MS);
      for (const { key } of [maker, child, grandchild]) assert.ok(!(await works(key)));
    });

    it('a key that a key makes ends with its maker at the latest, and may end sooner (DIR-29)', async () => {
      const maker = await makeKey(app, MAKER, { expires_at: inMs(HOUR_MS) });
      assert.equal((await made(maker, { expires_at: maker.expires_at })).expires_at, maker.expires_at);
      const sooner = inMs(HOUR_MS / 2);
      const child = await made(maker, { expires_at: sooner });
      assert.equal(child.expires_at, sooner);
      for (const [key, expires_at] of [
        [maker.key, new Date(Date.parse(maker.expires_at) + 1).toISOString()],
        [child.key, maker.expires_at],
        [child.key, '9999-12-31T23:59:59.999Z'],
      ]) {
        await assertRefused(app, {
          request: ['POST', '/v1/api-keys', { name: 'later', permissions: ['keys.read'], expires_at }],
          key,
          status: 400,
          code: 'validation_failed',
          details: problems(['/expires_at', 'not_allowed']),
        });
      }
    });

    it('is refused for its end together with everything else that is wrong', async () => {
      const maker = await makeKey(app, MAKER, { expires_at: inMs(HOUR_MS) });
      await assertRefused(app, {
        request: [
          'POST',
          '/v1/api-keys',
          { name: '', permissions: ['keys.read'], expires_at: inMs(2 * HOUR_MS) },
        ],
        key: maker.key,
        status: 400,
        code: 'validation_failed',
        details: problems(['/name', 'too_short'], ['/expires_at', 'not_allowed']),
      });
    });

    it('a key of another user ends with its maker as well (DIR-28, DIR-29)', async () => {
      const { id: user_id } = await makeUser(app);
      const maker = await makeKey(app, [...MAKER, 'directory.write'], { expires_at: inMs(HOUR_MS) });
      const child = await made(maker, { user_id });
      assert.deepEqual(
        [child.user_id, child.expires_at, child.made_by],
        [user_id, maker.expires_at, maker.id],
      );
    });

    it('may have any end where its maker has none', async () => {
      const maker = await makeKey(app, MAKER);
      assert.equal((await made(maker)).expires_at, undefined);
      assert.equal(
        (await made(maker, { expires_at: '2999-01-01T00:00:00Z' })).expires_at,
        '2999-01-01T00:00:00.000Z',
      );
    });

    it('a key is shown with its maker, also after that was revoked, and in a backup (DIR-25)', async (t) => {
      const [first, second, third] = await threeGenerations();
      const [{ id: ownerKey, ...ofFirstStart }] = await readPages(app, '/v1/api-keys', 100);
      assert.equal('made_by' in ofFirstStart, false, 'nobody made the key of the first start');
      data204(await revoke(first.id));
      const { id: userId } = data(await app.get('/v1/users/me'));
      const listed = await readPages(app, '/v1/api-keys', 100);
      const makers = new Map(listed.map(({ id, made_by }) => [id, made_by]));
      assert.deepEqual([makers.get(second.id), makers.get(third.id)], [first.id, second.id]);
      assert.equal(first.made_by, ownerKey);
      assert.deepEqual(await verify(app.services, nothing()), []);
      assert.deepEqual(await listedAfterRestore(userId, t), listed);
    });
  });

  function data204({ status, text }: { status: number; text: string }): void {
    assert.deepEqual([status, text], [204, '']);
  }

  /** The keys of the user as a backup has brought them elsewhere. */
  async function listedAfterRestore(userId: string, t: { after(work: () => Promise<void>): void }) {
    const storage = await freshDatabase(engine);
    const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_DATABASE_URL: storage.databaseUrl };
    const directory = join(storage.dataDir, 'backup');
    await backUp(app.services, directory, nothing());
    const target = await openRestoreTarget(readConfig(settings));
    await restore(directory, target, nothing()).finally(() => target.close());
    const services = await openServices(readConfig(settings));
    t.after(async () => {
      await services.close();
      await storage.remove();
    });
    assert.deepEqual(await verify(services, nothing()), []);
    const owner = await services.database.read((tx) => services.directory.findUser(tx, userId));
    assert.ok(owner);
    const page = { limit: 1000, after: undefined };
    return (await services.database.read((tx) => services.keys.listKeys(tx, owner, page))).items;
  }

  describe('revoking a key', () => {
    it('revoking a key leaves what it has made (DIR-31)', async () => {
      const [first, second, third] = await threeGenerations();
      data204(await revoke(first.id, '?made_by=false'));
      await assertStops(first.key);
      assert.ok((await works(second.key)) && (await works(third.key)));
      data204(await revoke(second.id));
      assert.ok(await works(third.key));
    });

    it('revoking a key with made_by takes along all that it has made, of other users too, and nothing else (DIR-32)', async () => {
      const permissions: Permission[] = [...MAKER, 'directory.write'];
      const [first, second, third] = await threeGenerations(permissions);
      const { id: user_id } = await makeUser(app);
      const ofAnother = await made(third, { user_id });
      const beside = await makeKey(app, permissions);
      data204(await revoke(second.id, '?made_by=true'));
      for (const { key } of [second, third, ofAnother]) await assertStops(key);
      for (const { key } of [first, beside]) assert.ok(await works(key));
      const left = (await readPages(app, '/v1/api-keys', 100)).map(({ id }) => id);
      assert.deepEqual(
        [first, second, third, beside].map(({ id }) => left.includes(id)),
        [true, false, false, true],
      );
      assert.deepEqual(await readPages(app, `/v1/api-keys?user_id=${user_id}`, 100), []);
    });

    it('revoking a key with made_by reaches past keys that were revoked before (DIR-32)', async () => {
      const [first, second, third] = await threeGenerations();
      data204(await revoke(first.id));
      data204(await revoke(second.id));
      assert.ok(await works(third.key));
      data204(await revoke(first.id, '?made_by=true'));
      await assertStops(third.key);
    });

    it('may take the caller along', async () => {
      const [first, second, third] = await threeGenerations();
      data204(await revoke(first.id, '?made_by=true', third.key));
      for (const { key } of [first, second, third]) await assertStops(key);
    });

    it('is answered again to a repeated request', async () => {
      const [first, second] = await threeGenerations();
      const options = { idempotencyKey: `revoke ${first.id}`.replace(' ', '-') };
      for (const replayed of [null, 'true']) {
        const answer = await app.delete(`/v1/api-keys/${first.id}?made_by=true`, options);
        assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [204, replayed]);
      }
      await assertStops(second.key);
    });

    it('revoking a key needs every permission of it (DIR-33)', async () => {
      const weak = await makeKey(app, ['keys.write', 'directory.read']);
      const strong = await makeKey(app, ['directory.read', 'mail.messages.read']);
      for (const query of ['', '?made_by=true']) {
        await assertRefused(app, {
          request: ['DELETE', `/v1/api-keys/${strong.id}${query}`],
          key: weak.key,
          status: 403,
          code: 'insufficient_scope',
          details: { missing_permission: 'mail.messages.read' },
        });
      }
      assert.ok(await works(strong.key));
      data204(
        await revoke(
          strong.id,
          '',
          (await makeKey(app, ['keys.write', 'directory.read', 'mail.messages.read'])).key,
        ),
      );
      await assertStops(strong.key);
      data204(await revoke(weak.id, '', weak.key));
    });

    it('revoking a key needs every permission of keys of other users (DIR-33)', async () => {
      const { id: user_id } = await makeUser(app);
      const strong = await makeKey(app, ['directory.read', 'files.read'], { user_id });
      const administrator = await makeKey(app, ['keys.write', 'directory.write', 'directory.read']);
      await assertRefused(app, {
        request: ['DELETE', `/v1/api-keys/${strong.id}`],
        key: administrator.key,
        status: 403,
        code: 'insufficient_scope',
        details: { missing_permission: 'files.read' },
      });
    });

    it('revoking a key with made_by needs every permission of all that it has made, or nothing is revoked (DIR-32, DIR-33)', async () => {
      const maker = await makeKey(app, MAKER);
      const child = await made(maker, {}, ['directory.read']);
      // No key makes one that may do more; a row that says so must not be revoked either.
      const permissions = JSON.stringify(['directory.read', 'files.read']);
      await app.services.database.write((tx) =>
        tx.updateTable('api_keys').set({ permissions }).where('id', '=', child.id).execute(),
      );
      await assertRefused(app, {
        request: ['DELETE', `/v1/api-keys/${maker.id}?made_by=true`],
        key: maker.key,
        status: 403,
        code: 'insufficient_scope',
        details: { missing_permission: 'files.read' },
      });
      data204(await revoke(maker.id, '', maker.key));
    });

    it('revoking a key finds no key of another user or workspace, whatever is asked with it (DIR-33)', async () => {
      const { id: user_id } = await makeUser(app);
      const theirs = await makeKey(app, ['directory.read'], { user_id });
      const { key: elsewhere } = await makeWorkspace(app);
      const [foreign] = await readPages(app, '/v1/api-keys', 25, { key: elsewhere });
      const weak = await makeKey(app, ['keys.write', 'directory.read']);
      for (const [id, key] of [
        [theirs.id, weak.key],
        [theirs.id, elsewhere],
        [foreign.id, undefined],
      ]) {
        const refusal = { status: 404, code: 'not_found', details: { resource: 'api_key', id } } as const;
        const request: [string, string] = ['DELETE', `/v1/api-keys/${id}?made_by=true`];
        await assertRefused(app, { request, ...(key && { key }), ...refusal });
      }
    });
  });

  describe('at the same time', () => {
    it('what a key makes while it is revoked with all that it made does not survive', async () => {
      for (let round = 0; round < 3; round++) {
        const [first, second] = await threeGenerations();
        const making = Array.from({ length: 12 }, () =>
          app.post('/v1/api-keys', { name: 'late', permissions: ['directory.read'] }, { key: second.key }),
        );
        const [, ...answers] = await Promise.all([
          revoke(first.id, '?made_by=true').then(data204),
          ...making,
        ]);
        for (const { status, json } of answers) {
          assert.ok(status === 201 || status === 401, String(status));
          if (status === 201) await assertStops(json.data.key);
        }
      }
    });

    it('a key that another node has revoked a moment ago makes none', async () => {
      const maker = await makeKey(app, MAKER);
      assert.ok(await works(maker.key));
      await app.services.database.write((tx) =>
        tx.updateTable('api_keys').set({ revoked_at: 1 }).where('id', '=', maker.id).execute(),
      );
      const answer = await app.post(
        '/v1/api-keys',
        { name: 'late', permissions: ['keys.read'] },
        { key: maker.key },
      );
      assert.deepEqual([answer.status, answer.json.error.code], [401, 'invalid_api_key']);
    });

    it('two revocations of one tree both come to their end', async () => {
      const [first, second, third] = await threeGenerations();
      const answers = await Promise.all([
        revoke(first.id, '?made_by=true'),
        revoke(second.id, '?made_by=true'),
        revoke(third.id, '?made_by=true'),
      ]);
      for (const answer of answers) data204(answer);
      for (const { key } of [first, second, third]) await assertStops(key);
    });
  });

  it('verify tells of a key that outlives its maker, and of a maker that is not there', async (t) => {
    const own = await startApp(engine);
    t.after(() => own.stop());
    const maker = await makeKey(own, MAKER, { expires_at: inMs(HOUR_MS) });
    const child = await makeKey(own, MAKER, {}, { key: maker.key });
    for (const wrong of [
      { expires_at: null },
      { expires_at: Date.now() + 2 * HOUR_MS },
      { made_by: 'key_none' },
    ]) {
      const right = { expires_at: Date.parse(maker.expires_at), made_by: maker.id };
      const put = (columns: object) =>
        own.services.database.write((tx) =>
          tx.updateTable('api_keys').set(columns).where('id', '=', child.id).execute(),
        );
      await put(wrong);
      const [problem = '', ...others] = await verify(own.services, nothing());
      assert.match(problem, new RegExp(`ends no later: not so of 1, such as ${child.id}`));
      assert.deepEqual(others, []);
      await put(right);
    }
  });
});
