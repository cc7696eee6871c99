import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_PERMISSIONS } from '../src/api/permissions.ts';
import { data, freshAddress, makeUser, makeWorkspace, readPages } from './areas/accounts.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(settings: NodeJS.ProcessEnv, args: readonly string[]): ChildProcess {
  const env = { PATH: process.env.PATH, ATRIUM_PORT: '0', ...settings };
  return spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code, stdout: out, stderr: err };
}

forEachEngine((engine) => {
  describe('the command line beside a running server', () => {
    let app: TestApp;
    let owner: { id: string; email: string };
    before(async () => {
      app = await startApp(engine);
      owner = data(await app.get('/v1/users/me'));
    });
    after(() => app.stop());

    /** Runs a command on the settings of the server. */
    function run(...args: string[]): Promise<Outcome> {
      const { dataDir, databaseUrl } = app.config;
      return outcomeOf(start({ ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: databaseUrl }, args));
    }

    /** The document of a command that succeeds. */
    // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
    async function json(...args: string[]): Promise<any> {
      const outcome = await run(...args, '--json');
      assert.deepEqual([outcome.code, outcome.stderr], [0, '']);
      return JSON.parse(outcome.stdout);
    }

    async function assertFails(args: string[], message: RegExp, code = 1): Promise<void> {
      const outcome = await run(...args);
      assert.equal(outcome.code, code, outcome.stderr);
      assert.match(outcome.stderr, message);
      assert.doesNotMatch(outcome.stderr, /\n\s+at |\.ts:/, 'no stack trace');
      assert.equal(outcome.stdout, '');
    }

    it('makes users whom the server knows', async () => {
      const [email, alias] = [freshAddress(), freshAddress()];
      const options = [
        '--name',
        'Ada',
        '--alias',
        alias,
        '--alias',
        `x${alias}`,
        '--time-zone',
        'Asia/Tokyo',
      ];
      const user = await json('user', 'create', email, ...options);
      assert.deepEqual(data(await app.get(`/v1/users/${user.id}`)), user);
      assert.deepEqual([user.aliases, user.time_zone], [[alias, `x${alias}`], 'Asia/Tokyo']);
      assert.deepEqual(await json('user', 'list'), await readPages(app, '/v1/users', 100));
      const { stdout } = await run('user', 'list');
      const lines = stdout.trimEnd().split('\n');
      assert.match(lines[0] ?? '', /^ID +EMAIL +NAME +STATE$/);
      assert.match(lines.at(-1) ?? '', new RegExp(`^${user.id}  ${email} +Ada +active$`));
    });

    it('makes keys that work, and revokes them', async () => {
      const { id, email, aliases } = await makeUser(app, { aliases: [freshAddress()] });
      const full = await json('key', 'create', email.toUpperCase(), '--name', 'full');
      assert.deepEqual(full.permissions, ALL_PERMISSIONS);
      assert.equal(data(await app.get('/v1/users/me', { key: full.key })).id, id);
      const until = '2999-12-31T00:00:00.000Z';
      const narrow = ['--permission', 'keys.read', '--permission', 'contacts.read', '--expires', until];
      const { key, ...record } = await json('key', 'create', aliases[0], '--name', 'narrow', ...narrow);
      assert.deepEqual([record.permissions, record.expires_at], [['keys.read', 'contacts.read'], until]);
      assert.deepEqual((await json('key', 'list', id)).at(-1), record);
      await json('key', 'revoke', full.id);
      assert.deepEqual(await json('key', 'list', id), [record]);
      await untilRefused(full.key);
      assert.equal((await app.get('/v1/api-keys', { key })).status, 200);
      const { stdout } = await run('key', 'create', id, '--name', 'shown');
      assert.match(stdout, /^Created API key key_\w+\. The key, shown only now:\natr_\w{40}\n$/);
    });

    /** The server remembers keys for a moment; 5 s are promised. */
    async function untilRefused(key: string): Promise<void> {
      const deadline = Date.now() + 5_000;
      while ((await app.get('/v1/users/me', { key })).status !== 401) {
        assert.ok(Date.now() < deadline, 'the key still works');
        await sleep(100);
      }
    }

    it('suspends and activates users', async () => {
      const { id, email } = await makeUser(app);
      const { key } = await json('key', 'create', id, '--name', 'k');
      assert.equal((await json('user', 'suspend', email)).state, 'suspended');
      await untilRefused(key);
      assert.equal((await json('user', 'activate', id)).state, 'active');
      data(await app.get('/v1/users/me', { key }));
    });

    it('makes and changes groups', async () => {
      const { id, email } = await makeUser(app);
      const made = await json('group', 'create', 'Readers', '--member', email, '--member', owner.id);
      assert.deepEqual([made.name, made.member_ids], ['Readers', [id, owner.id]]);
      const renamed = await json('group', 'set', made.id, '--name', 'Writers');
      assert.deepEqual([renamed.name, renamed.member_ids], ['Writers', [id, owner.id]]);
      const changed = await json('group', 'set', made.id, '--member', email);
      assert.deepEqual([changed.name, changed.member_ids], ['Writers', [id]]);
      assert.deepEqual(await json('group', 'list'), await readPages(app, '/v1/groups', 100));
    });

    it('makes resources', async () => {
      const room = await json('resource', 'create', 'Room', '--capacity', '4');
      const beamer = await json('resource', 'create', 'Beamer', '--kind', 'equipment');
      assert.deepEqual([room.kind, room.capacity, beamer.kind], ['room', 4, 'equipment']);
      assert.deepEqual(await json('resource', 'list'), await readPages(app, '/v1/resources', 100));
    });

    it('tells in one sentence what was wrong', async () => {
      const twice = ['user', 'create', owner.email, '--name', 'Twice'];
      await assertFails(twice, /^error: The address owner@localhost belongs to a user already\.\n$/);
      const { stderr } = await run(...twice, '--json');
      assert.deepEqual(JSON.parse(stderr), {
        error: {
          code: 'email_taken',
          message: 'The address owner@localhost belongs to a user already.',
          details: { email: 'owner@localhost' },
        },
      });
      await assertFails(['user', 'create', 'nobody', '--name', ''], /^error: email: .+\. name: .+\.\n$/);
      await assertFails(
        ['user', 'create', 'a@b', '--name', 'A', '--time-zone', 'Mars'],
        /^error: time_zone: .+ IANA time zone\.\n$/,
      );
      await assertFails(['user', 'suspend', 'nobody@b'], /^error: There is no user nobody@b\.\n$/);
      await assertFails(['user', 'suspend', owner.email], /^error: The last active owner .+\.\n$/);
      await assertFails(['key', 'revoke', 'key_none'], /^error: There is no api key with this id\.\n$/);
    });

    it('refuses wrong usage with the exit code 2', async () => {
      await assertFails(['user', 'create'], /^error: .*--name/, 2);
      await assertFails(['user', 'sack'], /^error: unknown command 'sack'/, 2);
      await assertFails(['user', 'list', '--all'], /^error: unknown option '--all'/, 2);
      await assertFails(['resource', 'create', 'Car', '--kind', 'car'], /^error: .*room, equipment/, 2);
    });

    it('needs --workspace once there are several', async () => {
      const founded = await json('workspace', 'create', 'Second', '--owner', freshAddress());
      assert.match(founded.key, /^atr_\w{40}$/);
      const me = data(await app.get('/v1/users/me', { key: founded.key }));
      assert.equal(me.id, founded.owner_id);
      const workspaces = await json('workspace', 'list');
      assert.deepEqual(
        workspaces.map((workspace: { name: string }) => workspace.name),
        ['Atrium', 'Second'],
      );
      await assertFails(['user', 'list'], /^error: .*--workspace/, 2);
      await assertFails(['user', 'list', '--workspace', 'Third'], /^error: There is no workspace Third\.\n$/);
      assert.deepEqual(await json('user', 'list', '--workspace', 'Second'), [me]);
      assert.deepEqual(await json('user', 'list', '--workspace', founded.id), [me]);
      const second = await json(
        'user',
        'create',
        freshAddress(),
        '--name',
        'B',
        '--owner',
        '--workspace',
        founded.id,
      );
      data(await app.put(`/v1/users/${founded.owner_id}`, { state: 'suspended' }, { key: founded.key }));
      await assertFails(['user', 'suspend', second.email], /^error: The last active owner/);
      await makeWorkspace(app);
      await makeWorkspace(app);
      await assertFails(['group', 'list', '--workspace', 'Elsewhere'], /^error: There are several/, 2);
    });

    it('writes while the server writes', async () => {
      const { id } = (await json('workspace', 'list'))[0];
      const here = ['--workspace', id];
      const made = [];
      let isRunning = true;
      const server = (async () => {
        while (isRunning) data(await app.post('/v1/resources', { name: 'Busy', kind: 'room' }), 201);
      })();
      for (let i = 0; i < 3; i++) made.push(json('resource', 'create', `Beside ${i}`, ...here));
      const ids = (await Promise.all(made)).map((resource) => resource.id);
      isRunning = false;
      await server;
      const listed = new Set((await readPages(app, '/v1/resources', 100)).map((resource) => resource.id));
      for (const resource of ids) assert.ok(listed.has(resource));
    });
  });

  describe('atrium serve', () => {
    interface Served {
      child: ChildProcess;
      address: string;
      output: () => string;
      closed: Promise<unknown[]>;
    }

    async function serve(t: TestContext, settings: NodeJS.ProcessEnv): Promise<Served> {
      const child = start(settings, ['serve']);
      t.after(() => child.kill('SIGKILL'));
      const closed = once(child, 'close');
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      while (!output.includes('Atrium is ready on ') && child.exitCode === null) await sleep(20);
      const [, address] = /^Atrium is ready on (\S+)$/m.exec(output) ?? assert.fail(output);
      return { child, address: address ?? '', output: () => output, closed };
    }

    async function settingsOf(
      t: TestContext,
    ): Promise<{ ATRIUM_DATA_DIR: string; ATRIUM_DATABASE_URL?: string }> {
      const { dataDir, databaseUrl, remove } = await freshDatabase(engine);
      t.after(remove);
      return { ATRIUM_DATA_DIR: dataDir, ...(databaseUrl && { ATRIUM_DATABASE_URL: databaseUrl }) };
    }

    it('shows the generated key of the owner at the first start only, and ends with 0', async (t) => {
      const settings = await settingsOf(t);
      const first = await serve(t, settings);
      const [key = ''] = /^atr_\w{40}$/m.exec(first.output()) ?? [];
      assert.equal(await readFile(join(settings.ATRIUM_DATA_DIR, 'owner-key'), 'utf8'), `${key}\n`);
      first.child.kill('SIGTERM');
      assert.deepEqual(await first.closed, [0, null]);
      const second = await serve(t, settings);
      assert.doesNotMatch(second.output(), /atr_/);
      const me = await fetch(`${second.address}/v1/users/me`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(me.status, 200);
      second.child.kill('SIGINT');
      assert.deepEqual(await second.closed, [0, null]);
    });

    it('finishes what runs at the first signal, ends at once at the second', async (t) => {
      const { child, address, closed } = await serve(t, {
        ...(await settingsOf(t)),
        ATRIUM_OWNER_KEY: OWNER_KEY,
      });
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`POST /v1/resources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OWNER_KEY}\r\n`);
      socket.write('Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
      await sleep(200);
      child.kill('SIGTERM');
      await sleep(1_000);
      assert.equal(child.exitCode, null, 'waits for the request');
      const secondAt = Date.now();
      child.kill('SIGTERM');
      assert.deepEqual(await closed, [143, null]);
      assert.ok(Date.now() - secondAt < 2_000);
    });

    it('refuses to start where it cannot listen, in one sentence that names the setting', async (t) => {
      const settings = await settingsOf(t);
      const { address } = await serve(t, settings);
      const { port } = new URL(address);
      const outcome = await outcomeOf(start({ ...settings, ATRIUM_PORT: port }, ['serve']));
      assert.equal(outcome.code, 1);
      assert.match(
        outcome.stderr,
        new RegExp(`^error: ATRIUM_HOST and ATRIUM_PORT name 127\\.0\\.0\\.1:${port}.+$`, 'm'),
      );
      const wrong = await outcomeOf(start({ ...settings, ATRIUM_PORT: 'eighty' }, ['serve']));
      assert.deepEqual(
        [wrong.code, wrong.stderr],
        [1, 'error: ATRIUM_PORT must be a whole number from 0 to 65535, not "eighty".\n'],
      );
    });
  });
});
