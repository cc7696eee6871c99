import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_PERMISSIONS } from '../src/contract/permissions.ts';
import type { Engine } from '../src/storage/database.ts';
import { data, freshAddress, makeUser, makeWorkspace, readPages } from './areas/accounts.ts';
import { setClockAhead } from './clock.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { eventually } from './eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { PROGRAM, programEnvironment } from './program.ts';

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(settings: NodeJS.ProcessEnv, args: readonly string[]): ChildProcess {
  const env = { ...programEnvironment(), ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0', ...settings };
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code, stdout: out, stderr: err };
}

/** A command line on the settings of a server that runs. */
class CommandLine {
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  run(...args: string[]): Promise<Outcome> {
    const { dataDir, databaseUrl } = this.#app.config;
    return outcomeOf(start({ ATRIUM_DATA_DIR: dataDir, ATRIUM_DATABASE_URL: databaseUrl }, args));
  }

  /** The document of a command that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  async json(...args: string[]): Promise<any> {
    const outcome = await this.run(...args, '--json');
    assert.deepEqual([outcome.code, outcome.stderr], [0, '']);
    return JSON.parse(outcome.stdout);
  }

  async assertFails(args: string[], message: RegExp, code = 1): Promise<void> {
    const outcome = await this.run(...args);
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, message);
    assert.doesNotMatch(outcome.stderr, /\n\s+at |\.ts:/, 'no stack trace');
    assert.equal(outcome.stdout, '');
  }
}

/** The server remembers keys for a moment; 5 s are promised. */
async function assertStops(t: TestContext, app: TestApp, key: string): Promise<void> {
  setClockAhead(t, 5_000);
  assert.equal((await app.get('/v1/users/me', { key })).status, 401);
}

forEachEngine((engine) => {
  describe('the command line beside a running server', () => {
    let app: TestApp;
    let atrium: CommandLine;
    before(async () => {
      app = await startApp(engine);
      atrium = new CommandLine(app);
    });
    after(() => app.stop());

    it('the command line makes users and keys that the server knows, and ends them (DIR-25, OPS-39, OPS-44)', async (t) => {
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
      const user = await atrium.json('user', 'create', email, ...options);
      assert.deepEqual(data(await app.get(`/v1/users/${user.id}`)), user);
      assert.deepEqual([user.aliases, user.time_zone], [[alias, `x${alias}`], 'Asia/Tokyo']);
      const full = await atrium.json('key', 'create', email.toUpperCase(), '--name', 'full', '--all');
      assert.deepEqual(full.permissions, ALL_PERMISSIONS);
      assert.equal(data(await app.get('/v1/users/me', { key: full.key })).id, user.id);
      const until = '2999-12-31T00:00:00.000Z';
      const narrow = ['--permission', 'directory.read', '--permission', 'contacts.read', '--expires', until];
      const { key, ...record } = await atrium.json('key', 'create', alias, '--name', 'narrow', ...narrow);
      assert.deepEqual([record.permissions, record.expires_at], [['directory.read', 'contacts.read'], until]);
      assert.equal('made_by' in record, false);
      const reading = await atrium.json('key', 'create', email, '--name', 'reads', '--preset', 'read-only');
      assert.deepEqual(
        reading.permissions,
        ALL_PERMISSIONS.filter((permission) => permission.endsWith('.read')),
      );
      await atrium.json('key', 'revoke', reading.id);
      await atrium.json('key', 'revoke', full.id);
      assert.deepEqual(await atrium.json('key', 'list', user.id), [record]);
      await assertStops(t, app, full.key);
      data(await app.get('/v1/users/me', { key }));
      assert.equal((await atrium.json('user', 'suspend', email)).state, 'suspended');
      await assertStops(t, app, key);
      assert.equal((await atrium.json('user', 'activate', user.id)).state, 'active');
      data(await app.get('/v1/users/me', { key }));
    });

    it('the command line writes while the server writes (OPS-39)', async () => {
      let isRunning = true;
      const writing = (async () => {
        while (isRunning) data(await app.post('/v1/resources', { name: 'Busy', kind: 'room' }), 201);
      })();
      const made = await Promise.all(['a', 'b'].map((name) => atrium.json('resource', 'create', name)));
      isRunning = false;
      await writing;
      const listed = new Set((await readPages(app, '/v1/resources', 100)).map((resource) => resource.id));
      for (const { id } of made) assert.ok(listed.has(id));
    });

    it('the command line backs up, verifies and restores beside a running server (OPS-39, OPS-48, OPS-50, OPS-51)', async () => {
      const [home, storage] = await Promise.all([
        mkdtemp(join(tmpdir(), 'atrium-test-')),
        freshDatabase(engine),
      ]);
      const directory = join(home, 'backup');
      const { rows } = await atrium.json('backup', directory);
      assert.ok(rows > 10);
      assert.equal((await atrium.json('verify', directory)).rows, rows);
      const verified = await atrium.json('verify');
      assert.deepEqual(verified.problems, []);
      assert.ok(verified.rows >= rows, `${verified.rows} of ${rows} rows`);
      await atrium.assertFails(['backup', directory], /is not empty\. Name a directory of its own/);
      await atrium.assertFails(['restore', directory], /holds a workspace already/);
      await atrium.assertFails(['verify', home], /holds no backup/);
      const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_DATABASE_URL: storage.databaseUrl };
      const restored = await outcomeOf(start(settings, ['restore', directory]));
      assert.deepEqual([restored.code, restored.stderr], [0, '']);
      const users = await outcomeOf(start(settings, ['user', 'list', '--json']));
      assert.deepEqual(JSON.parse(users.stdout), await atrium.json('user', 'list'));
      await Promise.all([storage.remove(), rm(home, { recursive: true })]);
    });
  });
});

describe('the command line', () => {
  let app: TestApp;
  let atrium: CommandLine;
  let owner: { id: string; email: string };
  before(async () => {
    app = await startApp('sqlite');
    atrium = new CommandLine(app);
    owner = data(await app.get('/v1/users/me'));
  });
  after(() => app.stop());

  it('the command line lists every user, for people and for machines (OPS-40, OPS-44)', async () => {
    for (let i = 0; i < 100; i++) await makeUser(app);
    const last = await makeUser(app, { name: 'Ada Lovelace' });
    assert.deepEqual(await atrium.json('user', 'list'), await readPages(app, '/v1/users', 100));
    const { stdout } = await atrium.run('user', 'list');
    const lines = stdout.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^ID +EMAIL +NAME +STATE$/);
    assert.match(lines.at(-1) ?? '', new RegExp(`^${last.id}  ${last.email} +Ada Lovelace  active$`));
  });

  it('the command line shows people the key that it makes (OPS-44)', async () => {
    const { stdout } = await atrium.run('key', 'create', owner.id, '--name', 'shown', '--all');
    assert.match(stdout, /^Created API key key_\w+\. The key, shown only now:\natr_\w{40}\n$/);
  });

  it('the command line makes and changes groups (OPS-44)', async () => {
    const { id, email } = await makeUser(app);
    const made = await atrium.json('group', 'create', 'Readers', '--member', email, '--member', owner.id);
    assert.deepEqual([made.name, made.member_ids], ['Readers', [id, owner.id]]);
    const renamed = await atrium.json('group', 'set', made.id, '--name', 'Writers');
    assert.deepEqual([renamed.name, renamed.member_ids], ['Writers', [id, owner.id]]);
    const changed = await atrium.json('group', 'set', made.id, '--member', email);
    assert.deepEqual([changed.name, changed.member_ids], ['Writers', [id]]);
    assert.deepEqual(await atrium.json('group', 'list'), [changed]);
  });

  it('the command line makes resources (OPS-44)', async () => {
    const room = await atrium.json('resource', 'create', 'Room', '--capacity', '4');
    const beamer = await atrium.json('resource', 'create', 'Beamer', '--kind', 'equipment');
    assert.deepEqual([room.kind, room.capacity, beamer.kind], ['room', 4, 'equipment']);
    assert.deepEqual(await atrium.json('resource', 'list'), [room, beamer]);
  });

  it('the command line tells in one sentence what was wrong (OPS-40, OPS-41)', async () => {
    const taken = ['user', 'create', owner.email, '--name', 'Twice'];
    const message = `The address ${owner.email} belongs to a user already.`;
    const { stderr } = await atrium.run(...taken, '--json');
    assert.deepEqual(JSON.parse(stderr), {
      error: { code: 'email_taken', message, details: { email: owner.email } },
    });
    await atrium.assertFails(taken, new RegExp(`^error: ${message}\n$`));
    await atrium.assertFails(['user', 'create', 'nobody', '--name', ''], /^error: email: .+\. name: .+\.\n$/);
    const onMars = ['user', 'create', 'a@b', '--name', 'A', '--time-zone', 'Mars'];
    await atrium.assertFails(onMars, /^error: time_zone: .+ IANA time zone, such as "Europe\/Berlin"\.\n$/);
    await atrium.assertFails(['user', 'suspend', 'nobody@b'], /^error: There is no user nobody@b\.\n$/);
    await atrium.assertFails(['user', 'suspend', owner.email], /^error: The last active owner .+\.\n$/);
    await atrium.assertFails(['key', 'revoke', 'key_none'], /^error: There is no api key with this id\.\n$/);
  });

  it('the command line has these commands, and no other (OPS-39)', async () => {
    const { stdout } = await atrium.run('--help');
    const [, commands = ''] = stdout.split(/^Commands:\n/m);
    const names = [...commands.matchAll(/^ {2}([a-z-]+)\b/gm)].map(([, name]) => name);
    const admin = 'workspace user group resource key sign-in backup verify restore adopt-blobs database';
    const others = 'serve import export upload download watch webhook search mcp draft doctor help';
    assert.deepEqual(names.sort(), `${admin} ${others}`.split(' ').sort());
  });

  it('the command line refuses wrong usage with the exit code 2 (OPS-41)', async () => {
    await atrium.assertFails(['user', 'create'], /^error: .*--name/, 2);
    await atrium.assertFails(['user', 'sack'], /^error: unknown command 'sack'/, 2);
    await atrium.assertFails(['resource', 'create', 'Car', '--kind', 'car'], /^error: .*room, equipment/, 2);
  });

  it('the command line makes workspaces, and needs --workspace once there are several (OPS-43)', async () => {
    const { id, key, owner_id } = await atrium.json(
      'workspace',
      'create',
      'Second',
      '--owner',
      freshAddress(),
    );
    assert.match(key, /^atr_\w{40}$/);
    const me = data(await app.get('/v1/users/me', { key }));
    assert.equal(me.id, owner_id);
    const workspaces: { name: string }[] = await atrium.json('workspace', 'list');
    assert.ok(!JSON.stringify(workspaces).includes('atr_'), 'the key is shown once');
    assert.deepEqual(
      workspaces.map(({ name }) => name),
      ['Atrium', 'Second'],
    );
    await atrium.assertFails(['user', 'list'], /^error: .*--workspace/, 2);
    await atrium.assertFails(
      ['user', 'list', '--workspace', 'Third'],
      /^error: There is no workspace Third\.\n$/,
    );
    assert.deepEqual(await atrium.json('user', 'list', '--workspace', 'Second'), [me]);
    const other = ['user', 'create', freshAddress(), '--name', 'B', '--owner', '--workspace', id];
    const second = await atrium.json(...other);
    data(await app.put(`/v1/users/${owner_id}`, { state: 'suspended' }, { key }));
    await atrium.assertFails(['user', 'suspend', second.email], /^error: The last active owner/);
    await makeWorkspace(app);
    await makeWorkspace(app);
    await atrium.assertFails(['group', 'list', '--workspace', 'Elsewhere'], /^error: There are several/, 2);
  });
});

describe('a command that cannot do what it is asked', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('sqlite');
  });
  after(() => app.stop());

  it('names the file that it cannot use, and why', async () => {
    const atrium = new CommandLine(app);
    const [file, absent] = ['atrium.sqlite', 'none/x.mbox'].map((name) => join(app.config.dataDir, name));
    const refused: [args: string[], message: RegExp][] = [
      [
        ['backup', `${file}`],
        /atrium\.sqlite cannot be made a directory\. Name a place where you may write\.$/m,
      ],
      [
        ['export', 'mail', 'owner@localhost', '--output', `${absent}`],
        /x\.mbox: no such file or directory\.$/m,
      ],
    ];
    for (const [args, message] of refused) await atrium.assertFails(args, message);
  });

  // Nobody can make a directory below /proc, not even root, and Node's own ways to make several try for ever.
  it('refuses a place where no directory can be made', {
    skip: !existsSync('/proc/self') && 'this system has no /proc',
  }, async () => {
    const nowhere = '/proc/atrium/backup';
    const refused: [args: string[], message: RegExp][] = [
      [['backup', nowhere], /^error: \/proc\/atrium\/backup cannot be made a directory\./m],
      [['export', 'user', 'owner@localhost', nowhere], /^error: .*\/proc\/atrium.*\n$/],
    ];
    for (const [args, message] of refused) await new CommandLine(app).assertFails(args, message);
  });

  it('takes an empty place for the wrong one, rather than back up nothing or find nothing amiss', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'atrium-empty-'));
    const config = { ...app.config, dataDir: elsewhere };
    for (const args of [['backup', join(elsewhere, 'backup')], ['verify'], ['user', 'list']])
      await new CommandLine({ ...app, config }).assertFails(
        args,
        /no workspace where the settings look\. Set ATRIUM_DATA_DIR/,
      );
    await rm(elsewhere, { recursive: true });
  });
});

/** Two signals within half a second count as one. */
const ONE_SIGNAL_MS = 600;

/** Whether nobody listens on a port. */
async function refuses(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const refused = once(socket, 'connect').then(
    () => false,
    () => true,
  );
  return refused.finally(() => socket.destroy());
}

/** Sends the head of a write whose body never comes, and waits until the server has it. */
async function beginRequest(address: string): Promise<void> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`POST /v1/resources HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OWNER_KEY}\r\n`);
  socket.write('Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 100\r\n');
  socket.write('Expect: 100-continue\r\n\r\n');
  await once(socket, 'data');
}

describe('atrium serve', () => {
  type Settings = { ATRIUM_DATA_DIR: string } & NodeJS.ProcessEnv;

  interface Served {
    child: ChildProcess;
    address: string;
    output: () => string;
    closed: Promise<unknown[]>;
  }

  async function serve(t: TestContext, settings: Settings): Promise<Served> {
    const child = start(settings, ['serve']);
    t.after(() => child.kill('SIGKILL'));
    const closed = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    while (!output.includes('Atrium is ready on ') && child.exitCode === null) await sleep(20);
    const [, address] = /^Atrium is ready on (\S+)$/m.exec(output) ?? assert.fail(output);
    return { child, address: address ?? '', output: () => output, closed };
  }

  async function settingsOf(t: TestContext, engine: Engine): Promise<Settings> {
    const { dataDir, databaseUrl, remove } = await freshDatabase(engine);
    t.after(remove);
    return { ATRIUM_DATA_DIR: dataDir, ...(databaseUrl && { ATRIUM_DATABASE_URL: databaseUrl }) };
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`shows the generated key of the owner at the first start only, and ends with 0, on ${engine} (OPS-4, OPS-6, SIGN-18)`, async (t) => {
      const settings = await settingsOf(t, engine);
      const first = await serve(t, settings);
      const [key = ''] = /^atr_\w{40}$/m.exec(first.output()) ?? [];
      assert.equal(await readFile(join(settings.ATRIUM_DATA_DIR, 'owner-key'), 'utf8'), `${key}\n`);
      await eventually(async () => first.output().includes('#sign-in='), 'it prints the link');
      const { port } = new URL(first.address);
      assert.match(first.output(), new RegExp(`http://localhost:${port}/#sign-in=[\\w-]{43}\n`));
      first.child.kill('SIGTERM');
      assert.deepEqual(await first.closed, [0, null]);
      const second = await serve(t, settings);
      assert.doesNotMatch(second.output(), /atr_|sign-in/);
      const me = await fetch(`${second.address}/v1/users/me`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(me.status, 200);
      second.child.kill('SIGINT');
      assert.deepEqual(await second.closed, [0, null]);
    });
  }

  it('a start makes no workspace and no key where a port is taken (OPS-56)', async (t) => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    t.after(() => holder.close());
    const { port } = holder.address() as AddressInfo;
    for (const name of ['ATRIUM_PORT', 'ATRIUM_SMTP_PORT']) {
      const settings = await settingsOf(t, 'sqlite');
      const outcome = await outcomeOf(start({ ...settings, [name]: `${port}` }, ['serve']));
      assert.deepEqual([outcome.code, outcome.stdout], [1, '']);
      assert.match(outcome.stderr, new RegExp(`^error: ATRIUM_HOST and ${name} name 127`));
      assert.equal(existsSync(join(settings.ATRIUM_DATA_DIR, 'owner-key')), false);
      assert.equal(existsSync(join(settings.ATRIUM_DATA_DIR, 'atrium.sqlite')), false);
    }
  });

  it('says where to go when it is ready, by a command that works when it is pasted, and that it has stopped', async (t) => {
    const CERTIFICATE = join(import.meta.dirname, 'api', 'tls');
    const secured = {
      ATRIUM_TLS_CERT: join(CERTIFICATE, 'cert.pem'),
      ATRIUM_TLS_KEY: join(CERTIFICATE, 'key.pem'),
    };
    for (const tls of [{}, secured]) {
      const served = await serve(t, { ...(await settingsOf(t, 'sqlite')), ...tls });
      const { child, address, closed, output } = served;
      await eventually(async () => output().includes('Try:'), 'it says what to try');
      assert.ok(output().includes(`\n  Page:      ${address}/\n  Reference: ${address}/docs\n`), output());
      const [, command = ''] = /^ {2}Try: {7}(curl .*)$/m.exec(output()) ?? assert.fail(output());
      const { stdout } = await outcomeOf(spawn('sh', ['-c', `${command} --silent`]));
      assert.equal(JSON.parse(stdout).data.email, 'owner@localhost');
      child.kill('SIGINT');
      assert.deepEqual(await closed, [0, null]);
      assert.match(output(), /\nAtrium has stopped\.\n$/);
    }
  });

  it('the server finishes what runs at the first signal, ends at once at the second (OPS-8, OPS-9)', async (t) => {
    const { child, address, closed } = await serve(t, {
      ...(await settingsOf(t, 'sqlite')),
      ATRIUM_OWNER_KEY: OWNER_KEY,
    });
    const port = Number(new URL(address).port);
    await beginRequest(address);
    child.kill('SIGTERM');
    await eventually(() => refuses(port), 'it takes nothing new');
    await sleep(ONE_SIGNAL_MS);
    assert.equal(child.exitCode, null, 'waits for the request');
    child.kill('SIGTERM');
    // When the ten seconds for finishing are over it ends as well, but with 0.
    assert.deepEqual(await closed, [143, null]);
  });

  it('cuts what has not finished ten seconds after the signal, and ends with 0 (OPS-8)', async (t) => {
    const settings = { ...(await settingsOf(t, 'sqlite')), ATRIUM_OWNER_KEY: OWNER_KEY };
    const { child, address, closed } = await serve(t, settings);
    await beginRequest(address);
    child.kill('SIGTERM');
    const begun = performance.now();
    assert.deepEqual(await closed, [0, null]);
    const took = performance.now() - begun;
    assert.ok(took > 9_000 && took < 60_000, `${took} ms`);
  });

  it('the server refuses to start where it cannot listen, in one sentence that names the setting (OPS-10)', async (t) => {
    const settings = await settingsOf(t, 'sqlite');
    const { address } = await serve(t, settings);
    const { port } = new URL(address);
    for (const name of ['ATRIUM_PORT', 'ATRIUM_SMTP_PORT']) {
      const outcome = await outcomeOf(start({ ...settings, [name]: port }, ['serve']));
      assert.equal(outcome.code, 1);
      assert.match(
        outcome.stderr,
        new RegExp(`^error: ATRIUM_HOST and ${name} name 127\\.0\\.0\\.1:${port}.+$`, 'm'),
      );
    }
    const fresh = { ...settings, ATRIUM_DATA_DIR: join(settings.ATRIUM_DATA_DIR, 'fresh') };
    const early = await outcomeOf(start({ ...fresh, ATRIUM_PORT: port }, ['serve']));
    assert.deepEqual([early.code, early.stdout], [1, '']);
    assert.equal(existsSync(fresh.ATRIUM_DATA_DIR), false, 'nothing is made');
    const wrong = await outcomeOf(start({ ...settings, ATRIUM_PORT: 'eighty' }, ['serve']));
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [1, 'error: ATRIUM_PORT must be a whole number from 0 to 65535, not "eighty".\n'],
    );
  });
});
