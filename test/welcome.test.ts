import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { Atrium } from '../client/src/index.ts';
import { addressHere, shellContentOf } from '../src/start/address.ts';
import { openServices, type Services } from '../src/start/composition.ts';
import { readConfig } from '../src/start/config.ts';
import { ensureFirstWorkspace } from '../src/start/first-workspace.ts';
import { type RunningServer, startServer } from '../src/start/server.ts';
import { verify } from '../src/start/verification.ts';
import { forEachEngine, migratedDatabase, type TestDatabase } from './engines.ts';

const KEY = 'the-key-that-a-script-has-given';

const OWN_CERTIFICATE = {
  ATRIUM_TLS_CERT: join(import.meta.dirname, 'api/tls/cert.pem'),
  ATRIUM_TLS_KEY: join(import.meta.dirname, 'api/tls/key.pem'),
};

/** The first start on an empty database. */
async function firstStart(storage: TestDatabase, settings: Record<string, string> = {}) {
  const config = readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: '0',
    ATRIUM_DATA_DIR: storage.dataDir,
    ATRIUM_DATABASE_URL: storage.databaseUrl,
    ...settings,
  });
  return { config, services: await openServices(config) };
}

forEachEngine((engine) => {
  describe('the welcome', () => {
    let storage: TestDatabase;
    let services: Services;
    let server: RunningServer;
    let atrium: Atrium;
    before(async () => {
      storage = await migratedDatabase(engine);
      const { config, services: opened } = await firstStart(storage);
      services = opened;
      // As several nodes on one database: the workspace is made once, and so is what is in it.
      await Promise.all(Array.from({ length: 3 }, () => ensureFirstWorkspace(services, config)));
      await ensureFirstWorkspace(services, config);
      server = await startServer(config, services, pino({ level: 'silent' }));
      const key = (await readFile(join(storage.dataDir, 'owner-key'), 'utf8')).trim();
      atrium = new Atrium({ address: server.address, key });
    });
    after(async () => {
      await server.stop();
      await storage.remove();
    });

    it('the welcome shows something at every first call (OPS-7)', async () => {
      const [message, ...others] = await atrium.mail.listMessages({ unread: true }).all();
      assert.deepEqual(
        [message?.subject, message?.labels, others.length],
        ['Welcome to Atrium', ['welcome'], 0],
      );
      assert.equal((await atrium.contacts.listContacts({ q: 'ada' }).all()).length, 1);
      const [file] = await atrium.files.listFiles().all();
      assert.ok(file);
      assert.match(await (await atrium.files.download(file.id)).text(), /^A file of your drive\./);
      const documents = await atrium.documents.listDocuments().all();
      assert.deepEqual(documents.map(({ type }) => type).sort(), ['document', 'spreadsheet']);
    });

    it('the welcome writes a letter whose commands answer (OPS-7)', async () => {
      const [summary] = await atrium.mail.listMessages({ label: 'welcome' }).all();
      const { text, from, to } = await atrium.mail.getMessage(summary?.id ?? '');
      assert.deepEqual([from, to], ['Atrium <no-reply@localhost>', ['owner@localhost']]);
      const document = /documents\/(doc_\w+)\/content/.exec(text)?.[1] ?? '';
      assert.match(await (await atrium.documents.getDocumentContent(document)).text(), /^# Start here/);
      const [, sheet = '', range = ''] = /spreadsheets\/(sht_\w+)\/values\/(\S+)/.exec(text) ?? [];
      assert.ok(text.includes(`  KEY=$(cat '${join(storage.dataDir, 'owner-key')}')\n`));
      const { values } = await atrium.spreadsheets.readRange(sheet, range);
      assert.deepEqual(values.at(-1), ['Together', '', '', 45.8]);
      const [question, letter] = [...text.matchAll(/-d '(\{.*\})'/g)].map(([, json = '']) =>
        JSON.parse(json),
      );
      const { attendees } = await atrium.calendar.queryFreeBusy(question);
      assert.equal(attendees[0]?.busy.length, 5);
      assert.equal((await atrium.mail.sendMessage(letter)).subject, 'Hello');
    });

    it('leaves nothing behind that breaks a rule', async () => {
      assert.deepEqual(await verify(services, { rows: 0, blobs: 0, bytes: 0 }), []);
    });
  });

  describe('a workspace without a welcome', () => {
    for (const [name, value] of Object.entries({ ATRIUM_OWNER_KEY: KEY, ATRIUM_WELCOME: 'off' })) {
      it(`is empty, by ${name} (OPS-7, OPS-23)`, async (t) => {
        const storage = await migratedDatabase(engine);
        const { config, services } = await firstStart(storage, { [name]: value });
        t.after(() => services.close().then(storage.remove));
        await ensureFirstWorkspace(services, config);
        assert.equal(await countOf(services), 0);
      });
    }

    it('stays without when the founding fails: all or nothing', async (t) => {
      const storage = await migratedDatabase(engine);
      const { config, services } = await firstStart(storage);
      t.after(() => services.close().then(storage.remove));
      await assert.rejects(
        ensureFirstWorkspace(services, { ...config, dataDir: join(storage.dataDir, 'nowhere', 'x') }),
      );
      assert.equal(await countOf(services), 0);
      await ensureFirstWorkspace(services, config);
      assert.equal(await countOf(services), 6);
    });
  });
});

describe('the letter of the welcome', () => {
  const PLACES: Record<string, Record<string, string>> = {
    'http://127.0.0.1:8080': {},
    'http://127.0.0.1:9000': { ATRIUM_HOST: '0.0.0.0', ATRIUM_PORT: '9000' },
    'http://[::1]:8080': { ATRIUM_HOST: '::1', ATRIUM_PORT: '0' },
    'https://127.0.0.1:8080': OWN_CERTIFICATE,
    // The certificate is for localhost and 127.0.0.1.
    'https://localhost:443': { ...OWN_CERTIFICATE, ATRIUM_HOST: '127.0.0.2', ATRIUM_PORT: '443' },
  };
  for (const [address, settings] of Object.entries(PLACES)) {
    it(`says that the server is at ${address} for ${JSON.stringify(settings)}`, () => {
      assert.equal(addressHere(readConfig(settings)), address);
    });
  }

  it('quotes the path of the key', () => {
    assert.equal(shellContentOf("/Ada's data/owner-key"), "$(cat '/Ada'\\''s data/owner-key')");
  });
});

/** Nodes, messages, contacts, events, and blobs that wait for any of them. */
function countOf({ database }: Services): Promise<number> {
  return database.read(async (tx) => {
    const nodes = await tx.selectFrom('nodes').select('id').execute();
    const messages = await tx.selectFrom('messages').select('id').execute();
    const contacts = await tx.selectFrom('contacts').select('id').execute();
    const events = await tx.selectFrom('calendar_events').select('id').execute();
    const blobs = await tx.selectFrom('pending_blobs').select('blob_key').execute();
    return [nodes, messages, contacts, events, blobs].flat().length;
  });
}
