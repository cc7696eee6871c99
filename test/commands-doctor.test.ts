import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runAtrium } from './command-line.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';
import { startRelay } from './relay.ts';

interface Found {
  ok: boolean;
  findings: { check: string; state: string; message: string }[];
}

/** What is found, by check; the exit code says the same. */
async function diagnosed(app: Pick<TestApp, 'config'>, settings: NodeJS.ProcessEnv = {}) {
  const { code, stdout, stderr } = await runAtrium(app, ['doctor', '--json'], settings);
  assert.equal(stderr, '');
  const { ok, findings }: Found = JSON.parse(stdout);
  assert.equal(code, ok ? 0 : 1);
  assert.equal(
    ok,
    findings.every(({ state }) => state !== 'fail'),
  );
  return Object.fromEntries(findings.map(({ check, ...found }) => [check, found]));
}

const FREE = { ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0' };

forEachEngine((engine) => {
  describe('the doctor', () => {
    let app: TestApp;

    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('the doctor finds a server that runs to be well (OPS-53)', async () => {
      const ports = { ATRIUM_PORT: new URL(app.address).port, ATRIUM_SMTP_PORT: `${app.smtp.port}` };
      const { code, stdout, stderr } = await runAtrium(app, ['doctor'], ports);
      assert.deepEqual([code, stderr], [0, ''], stdout);
      assert.match(stdout, /^ok {4}settings: /);
      assert.match(stdout, /^ok {4}database: (SQLite 3|PostgreSQL \d\d)/m);
      assert.match(stdout, /^ok {4}migrations: /m);
      assert.match(stdout, /^ok {4}HTTP port: .* held by Atrium itself/m);
      assert.match(stdout, /^ok {4}SMTP port: .* held by Atrium itself/m);
      assert.match(stdout, /^ok {4}blob store: It is the one/m);
      assert.doesNotMatch(stdout, /^fail/m);
    });

    it('the doctor finds a port that another program holds (OPS-53)', async (t) => {
      const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      t.after(() => other.close());
      const port = `${(other.address() as AddressInfo).port}`;
      const http = await diagnosed(app, { ...FREE, ATRIUM_PORT: port });
      assert.match(http['HTTP port']?.message ?? '', /another program.*ATRIUM_PORT/);
      const smtp = await diagnosed(app, { ...FREE, ATRIUM_SMTP_PORT: port });
      assert.deepEqual([smtp['SMTP port']?.state, smtp['HTTP port']?.state], ['fail', 'ok']);
    });

    for (const [name, says] of Object.entries({
      'a web server that is well': 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n',
      'an API of something else':
        'HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\n{"info":{"title":"Calendar"}}',
      'a mail server': '220 mail.example ESMTP Postfix\r\n',
      'a program that says nothing': '',
    })) {
      it(`tells ${name} from Atrium`, async (t) => {
        const other = createServer((socket) => {
          socket.on('error', () => undefined);
          if (says.startsWith('220')) socket.write(says);
          else socket.once('data', () => socket.end(says));
        });
        await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
        t.after(() => other.close());
        const port = `${(other.address() as AddressInfo).port}`;
        for (const [setting, check] of Object.entries({
          ATRIUM_PORT: 'HTTP port',
          ATRIUM_SMTP_PORT: 'SMTP port',
        })) {
          const found = (await diagnosed(app, { ...FREE, [setting]: port }))[check];
          assert.equal(found?.state, 'fail', check);
          assert.match(found?.message ?? '', /another program/, check);
        }
      });
    }

    it('asks the relay for no more than its name', async () => {
      const relay = await startRelay(0, { user: 'u', pass: 'p' });
      const settings = { ...FREE, ATRIUM_SMTP_RELAY: relay.url.replace(/\/\/.*@/, '//u:wrong@') };
      assert.equal((await diagnosed(app, settings)).relay?.state, 'ok');
      await relay.stop();
      assert.deepEqual(relay.arrived, []);
      const gone = (await diagnosed(app, settings)).relay;
      assert.equal(gone?.state, 'fail');
      assert.match(gone?.message ?? '', /ECONNREFUSED.*ATRIUM_SMTP_RELAY/);
    });

    it('the doctor tells of migrations without applying them (OPS-53)', async (t) => {
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
      for (let times = 0; times < 2; times++) {
        const { database, migrations } = await diagnosed({ config }, FREE);
        assert.equal(database?.state, 'ok');
        if (engine === 'postgres') assert.match(migrations?.message ?? '', /^\d+ to apply/);
        else assert.match(database?.message ?? '', /^None yet/);
      }
    });
  });
});

describe('the doctor', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atrium-doctor-'));
  });
  after(() => rm(directory, { recursive: true }));

  const at = (dataDir: string) => ({ config: { dataDir } as TestApp['config'] });

  it('the doctor tells of settings that cannot be read (OPS-53)', async () => {
    const { settings } = await diagnosed(at(directory), { ATRIUM_PORT: 'x' });
    assert.equal(settings?.state, 'fail');
    assert.match(settings?.message ?? '', /^ATRIUM_PORT must be/);
    const cert = {
      ATRIUM_TLS_CERT: join(directory, 'none.pem'),
      ATRIUM_TLS_KEY: join(directory, 'none.pem'),
    };
    assert.match((await diagnosed(at(directory), cert)).settings?.message ?? '', /cannot be read/);
  });

  it('tells of an address that this machine does not have, whatever the port', async () => {
    // RFC 5737, 3: the block is for documentation, so nobody has an address of it.
    const { 'HTTP port': http } = await diagnosed(at(directory), { ...FREE, ATRIUM_HOST: '192.0.2.1' });
    assert.equal(http?.state, 'fail');
    assert.match(http?.message ?? '', /EADDRNOTAVAIL.*ATRIUM_HOST and ATRIUM_PORT/);
  });

  it('tells of a database that is away or broken', async () => {
    const away = { ...FREE, ATRIUM_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    assert.match(
      (await diagnosed(at(directory), away)).database?.message ?? '',
      /ECONNREFUSED.*See that PostgreSQL runs/,
    );
    const broken = await mkdtemp(join(directory, 'broken-'));
    await writeFile(join(broken, 'atrium.sqlite'), 'no database at all'.repeat(1000));
    assert.equal((await diagnosed(at(broken), FREE)).database?.state, 'fail');
  });

  it('tells of a file where the directory should be', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '', { mode: 0o700 });
    for (const dataDir of [file, join(file, 'below')]) {
      const { 'data directory': found } = await diagnosed(at(dataDir), FREE);
      assert.equal(found?.state, 'fail');
      assert.match(found?.message ?? '', /file is no directory\. Let ATRIUM_DATA_DIR name/);
    }
  });

  it('tells of a directory that cannot be written to', {
    skip: process.getuid?.() === 0 && 'root may write anywhere',
  }, async () => {
    const locked = await mkdtemp(join(directory, 'locked-'));
    await chmod(locked, 0o500);
    const { 'data directory': found } = await diagnosed(at(locked), FREE);
    assert.equal(found?.state, 'fail');
    assert.match(found?.message ?? '', /ATRIUM_DATA_DIR/);
  });
});
