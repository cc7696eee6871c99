import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { Value } from 'typebox/value';
import { newSecret } from '../../src/areas/keys/record.ts';
import { ApiKey, CreatedApiKey } from '../../src/areas/keys/schema.ts';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { openServices, type Services } from '../../src/start/composition.ts';
import { ConfigError, readConfig } from '../../src/start/config.ts';
import { ensureFirstWorkspace } from '../../src/start/first-workspace.ts';
import { setClockAhead } from '../clock.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { atOnce } from '../nodes/at-once.ts';
import {
  accounts,
  assertRefused,
  data,
  makeKey,
  makeUser,
  makeWorkspace,
  problems,
  type Refusal,
  readPages,
} from './accounts.ts';

const KEY = /^atr_[0-9A-Za-z]{40}$/;
const DAY_MS = 86_400_000;

describe('a new secret', () => {
  const secrets = Array.from({ length: 500 }, newSecret);

  it('a new secret is atr_ and 40 characters of base 62, each of which occurs (DIR-23)', () => {
    for (const secret of secrets) assert.match(secret, KEY);
    assert.equal(new Set(secrets.map((secret) => secret.slice(4, 38)).join('')).size, 62);
    assert.equal(new Set(secrets).size, secrets.length);
  });

  it('a new secret ends with the CRC-32 of what is random (DIR-23)', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (const secret of secrets) {
      const checksum = [...secret.slice(38)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
      assert.equal(checksum, crc32(secret.slice(4, 38)));
    }
  });
});

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  /** How the directory sees a key: 200 while it works. */
  async function statusOf(key: string): Promise<number> {
    return (await app.get('/v1/users/me', { key })).status;
  }

  const assertStops = (key: string) => atOnce(async () => (await statusOf(key)) === 401, 'the key stops');

  describe('an API key', () => {
    it('an API key is told once, and acts as the caller with what was granted (API-90, DIR-24, DIR-25, DIR-26)', async () => {
      const created = await makeKey(app, ['directory.read'], { name: 'Reader' });
      const { key, ...record } = created;
      const me = data(await app.get('/v1/users/me', { key }));
      assert.match(key, KEY);
      assert.match(record.id, /^key_[0-9a-z]{26}$/);
      assert.deepEqual(Object.keys(record), [
        'id',
        'name',
        'user_id',
        'permissions',
        'created_at',
        'made_by',
      ]);
      assert.deepEqual(
        [record.name, record.user_id, record.permissions],
        ['Reader', me.id, ['directory.read']],
      );
      assert.ok(Value.Check(CreatedApiKey, created));
      const refused = await app.post('/v1/groups', { name: 'No', member_ids: [] }, { key });
      assert.equal(refused.json.error.details.missing_permission, 'directory.write');
      const listed = (await readPages(app, '/v1/api-keys', 100)).at(-1);
      assert.deepEqual(listed, record);
      assert.ok(Value.Check(ApiKey, listed));
    });

    it('an API key acts as another user when one is named (API-90, DIR-26)', async () => {
      const { id } = await makeUser(app);
      const { key } = await makeKey(app, ['directory.read'], { user_id: id });
      assert.equal(data(await app.get('/v1/users/me', { key })).id, id);
    });

    it('an API key is in the database by its SHA-256 only (DIR-24)', async () => {
      const { id, key } = await makeKey(app, ['keys.read']);
      const rows = await app.services.database.read(async (tx) => ({
        keys: await tx.selectFrom('api_keys').selectAll().execute(),
        answers: await tx.selectFrom('idempotency_records').selectAll().execute(),
      }));
      const hash = createHash('sha256').update(key).digest('hex');
      assert.equal(rows.keys.find((row) => row.id === id)?.secret_hash, hash);
      const text = JSON.stringify(rows);
      for (const secret of [key, key.slice(4), Buffer.from(key).toString('base64')])
        assert.ok(!text.includes(secret));
    });

    it('an API key is answered again, byte for byte, to a repeated request (API-128)', async () => {
      const body = { name: 'Once', permissions: ['keys.read'] };
      const first = await app.post('/v1/api-keys', body, { idempotencyKey: 'the-same' });
      const before = await accounts(app);
      const second = await app.post('/v1/api-keys', body, { idempotencyKey: 'the-same' });
      assert.equal(first.status, 201);
      assert.deepEqual([second.status, second.text], [first.status, first.text]);
      assert.equal(first.headers.get('idempotency-replayed'), null);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.deepEqual(await accounts(app), before);
    });

    it('an API key stops when it expires, and is listed still (API-47, DIR-25, DIR-30)', async (t) => {
      const expires_at = new Date(Date.now() + DAY_MS).toISOString();
      const { id, key } = await makeKey(app, ['directory.read'], { expires_at });
      assert.equal(await statusOf(key), 200);
      setClockAhead(t, DAY_MS);
      assert.equal(await statusOf(key), 401);
      const listed = (await readPages(app, '/v1/api-keys', 100)).find((found) => found.id === id);
      assert.equal(listed.expires_at, expires_at);
    });

    it('an API key shows when it expires in UTC (API-16, DIR-25)', async () => {
      const { expires_at } = await makeKey(app, ['keys.read'], { expires_at: '2999-01-01T01:30:00+01:30' });
      assert.equal(expires_at, '2999-01-01T00:00:00.000Z');
    });

    it('an API key stops with the next request once it is revoked, and is listed no more (API-25, DIR-30, DIR-31, DIR-34)', async () => {
      const { id, key } = await makeKey(app, ['directory.read']);
      assert.equal(await statusOf(key), 200);
      const answer = await app.delete(`/v1/api-keys/${id}`);
      assert.deepEqual([answer.status, answer.text], [204, '']);
      await assertStops(key);
      assert.ok(!(await readPages(app, '/v1/api-keys', 100)).some((found) => found.id === id));
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
    });

    it('may revoke itself', async () => {
      const { id, key } = await makeKey(app, ['keys.write']);
      assert.equal((await app.delete(`/v1/api-keys/${id}`, { key })).status, 204);
      await assertStops(key);
    });

    it('an API key of another user is revoked with directory.write, and not found without it (DIR-33)', async () => {
      const { id: userId } = await makeUser(app);
      const { id, key } = await makeKey(app, ['directory.read'], { user_id: userId });
      const { key: weak } = await makeKey(app, ['keys.write']);
      assert.equal((await app.delete(`/v1/api-keys/${id}`, { key: weak })).status, 404);
      assert.equal(await statusOf(key), 200);
      assert.equal((await app.delete(`/v1/api-keys/${id}`)).status, 204);
      await assertStops(key);
    });
  });

  describe('the list of keys', () => {
    it('the list of keys is that of one user, in order of creation, page by page (DIR-30)', async () => {
      const { id } = await makeUser(app);
      const ids = [];
      for (let i = 0; i < 4; i++) ids.push((await makeKey(app, ['keys.read'], { user_id: id })).id);
      const listed = await readPages(app, `/v1/api-keys?user_id=${id}`, 2);
      assert.deepEqual(
        listed.map((key) => key.id),
        ids,
      );
      assert.equal((await app.get('/v1/api-keys')).json.pagination.limit, 25);
      assert.equal((await app.get('/v1/api-keys?limit=500')).json.pagination.limit, 100);
    });

    it('the list of keys is empty for an unknown or malformed user (API-18)', async () => {
      for (const id of ['usr_none', '%20'])
        assert.deepEqual(await readPages(app, `/v1/api-keys?user_id=${id}`, 25), []);
    });

    it('shows nothing of another workspace', async () => {
      const { ownerId, key } = await makeWorkspace(app);
      assert.deepEqual(await readPages(app, `/v1/api-keys?user_id=${ownerId}`, 25), []);
      assert.equal((await readPages(app, '/v1/api-keys', 25, { key })).length, 1);
    });
  });

  describe('refuses', () => {
    let userId: string;
    let weak: { id: string; key: string };
    let elsewhere: { ownerId: string; key: string };
    let foreignKeyId: string;
    before(async () => {
      userId = (await makeUser(app)).id;
      weak = await makeKey(app, ['keys.read', 'keys.write', 'directory.read']);
      elsewhere = await makeWorkspace(app);
      foreignKeyId = (await readPages(app, '/v1/api-keys', 25, { key: elsewhere.key }))[0].id;
    });

    const lacking = (permission: string) =>
      ({ status: 403, code: 'insufficient_scope', details: { missing_permission: permission } }) as const;
    const unfit = (...found: [place: string, code: string][]) =>
      ({ status: 400, code: 'validation_failed', details: problems(...found) }) as const;
    const unknown = (resource: string, id: string) =>
      ({ status: 404, code: 'not_found', details: { resource, id } }) as const;
    const name = 'a key';
    const permissions = ['keys.read'];

    const table: Record<string, () => Refusal> = {
      'a key without name and permissions': () => ({
        request: ['POST', '/v1/api-keys', {}],
        ...unfit(['/name', 'required'], ['/permissions', 'required']),
      }),
      'a key that may do nothing': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions: [] }],
        ...unfit(['/permissions', 'too_few']),
      }),
      'an unknown permission': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions: ['keys.read', 'everything'] }],
        ...unfit(['/permissions/1', 'not_allowed']),
      }),
      'a permission given twice': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions: ['keys.read', 'keys.read'] }],
        ...unfit(['/permissions', 'duplicate']),
      }),
      'an end that is no time': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, expires_at: '2999-02-30T00:00:00Z' }],
        ...unfit(['/expires_at', 'wrong_format']),
      }),
      'an end that is a time zone away from one': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, expires_at: '2999-01-01T00:00:00' }],
        ...unfit(['/expires_at', 'wrong_format']),
      }),
      'an end with the name of a zone': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, expires_at: '2999-01-01T00:00:00Z[UTC]' }],
        ...unfit(['/expires_at', 'not_allowed']),
      }),
      'an end in the past': () => ({
        request: [
          'POST',
          '/v1/api-keys',
          { name, permissions, expires_at: new Date(Date.now() - DAY_MS).toISOString() },
        ],
        ...unfit(['/expires_at', 'not_allowed']),
      }),
      // DIR-27
      'granting what the caller lacks': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions: ['keys.read', 'mail.messages.read'] }],
        key: weak.key,
        ...lacking('mail.messages.read'),
      }),
      // DIR-28
      'a key for another user without directory.write': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, user_id: userId }],
        key: weak.key,
        ...lacking('directory.write'),
      }),
      // DIR-28
      'a key for an unknown user': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, user_id: 'no id' }],
        ...unknown('user', 'no id'),
      }),
      'a key for a user of another workspace': () => ({
        request: ['POST', '/v1/api-keys', { name, permissions, user_id: elsewhere.ownerId }],
        ...unknown('user', elsewhere.ownerId),
      }),
      // DIR-30
      'the keys of another user without directory.write': () => ({
        request: ['GET', `/v1/api-keys?user_id=${userId}`],
        key: weak.key,
        ...lacking('directory.write'),
      }),
      'to revoke an unknown key': () => ({
        request: ['DELETE', '/v1/api-keys/key_none'],
        ...unknown('api_key', 'key_none'),
      }),
      'to revoke a key of another workspace': () => ({
        request: ['DELETE', `/v1/api-keys/${foreignKeyId}`],
        ...unknown('api_key', foreignKeyId),
      }),
      'to change a key': () => ({
        request: ['PUT', `/v1/api-keys/${weak.id}`, { name }],
        status: 405,
        code: 'method_not_allowed',
      }),
    };
    for (const [what, refusal] of Object.entries(table)) {
      it(`the API refuses ${what}`, () => assertRefused(app, refusal()));
    }

    const needed = {
      'keys.read': ['GET', '/v1/api-keys'],
      'keys.write': ['POST', '/v1/api-keys', { name, permissions }],
    } satisfies Record<string, Refusal['request']>;
    for (const [permission, request] of Object.entries(needed)) {
      it(`the API refuses ${request[0]} without ${permission}`, async () => {
        const { key } = await makeKey(app, ['directory.read']);
        await assertRefused(app, { request: request as Refusal['request'], key, ...lacking(permission) });
      });
    }

    it('DELETE without keys.write', async () => {
      const { key } = await makeKey(app, ['keys.read', 'directory.write']);
      await assertRefused(app, {
        request: ['DELETE', `/v1/api-keys/${weak.id}`],
        key,
        ...lacking('keys.write'),
      });
    });
  });

  describe('the first start', () => {
    async function start(t: TestContext, settings: Record<string, string> = {}) {
      const storage = await freshDatabase(engine);
      const { dataDir } = storage;
      const config = readConfig({
        ATRIUM_DATA_DIR: dataDir,
        ATRIUM_DATABASE_URL: storage.databaseUrl,
        ...settings,
      });
      const services = await openServices(config);
      t.after(async () => {
        await services.close();
        await storage.remove();
      });
      return { config, services, keyFile: join(dataDir, 'owner-key') };
    }

    async function principalOf({ keys, database }: Services, key: string) {
      return keys.findPrincipal(database, key);
    }

    it('the first start makes one owner with every permission, whose generated key is in a file (OPS-5, OPS-6, OPS-21)', async (t) => {
      const { config, services, keyFile } = await start(t);
      const made = await Promise.all(Array.from({ length: 5 }, () => ensureFirstWorkspace(services, config)));
      const [key = '', ...others] = made.filter((generated) => generated !== undefined);
      assert.match(key, KEY);
      assert.deepEqual(others, []);
      assert.equal(await readFile(keyFile, 'utf8'), `${key}\n`);
      assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
      const owner = await services.database.read((tx) => services.directory.findUser(tx, 'OWNER@localhost'));
      const principal = await principalOf(services, key);
      assert.equal(principal?.userId, owner?.userId);
      assert.deepEqual([...(principal?.permissions ?? [])], ALL_PERMISSIONS);
    });

    it('the first start takes the key that is given, and writes no file (OPS-6, OPS-22)', async (t) => {
      const { config, services, keyFile } = await start(t, { ATRIUM_OWNER_KEY: OWNER_KEY });
      assert.equal(await ensureFirstWorkspace(services, config), undefined);
      assert.ok(await principalOf(services, OWNER_KEY));
      await assert.rejects(stat(keyFile), { code: 'ENOENT' });
    });

    it('the first start is the only one that minds ATRIUM_OWNER_KEY and ATRIUM_OWNER_EMAIL (OPS-21, OPS-22)', async (t) => {
      const { config, services } = await start(t);
      await ensureFirstWorkspace(services, config);
      const again = { ...config, ownerEmail: 'new@example.org', ownerKey: 'another-key-of-the-owner' };
      assert.equal(await ensureFirstWorkspace(services, again), undefined);
      assert.equal(await principalOf(services, 'another-key-of-the-owner'), undefined);
    });

    it('makes nothing when the key cannot be written, and replaces a file that opens nothing', async (t) => {
      const { config, services, keyFile } = await start(t);
      await assert.rejects(
        ensureFirstWorkspace(services, { ...config, dataDir: join(keyFile, 'no folder') }),
        ConfigError,
      );
      assert.deepEqual(await services.database.read((tx) => services.directory.listWorkspaces(tx)), []);
      await writeFile(keyFile, 'of an earlier database');
      const key = await ensureFirstWorkspace(services, config);
      assert.equal(await readFile(keyFile, 'utf8'), `${key}\n`);
    });
  });
});
