import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { backUp } from '../src/archive/backup.ts';
import { ArchiveError } from '../src/archive/backup-directory.ts';
import { LineFile, readLines } from '../src/archive/line-file.ts';
import type { Progress } from '../src/archive/manifest.ts';
import { verifyArchive } from '../src/archive/open-archive.ts';
import { restore } from '../src/archive/restore.ts';
import { openRestoreTarget, openServices } from '../src/start/composition.ts';
import { type Config, readConfig } from '../src/start/config.ts';
import { startServer } from '../src/start/server.ts';
import { RULES, verify } from '../src/start/verification.ts';
import type { Engine, ReadTransaction } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { findBreach } from '../src/storage/schema/integrity-rule.ts';
import { migrate } from '../src/storage/schema/migrate.ts';
import { migrations } from '../src/storage/schema/migrations/index.ts';
import { data, makeKey, makeUser } from './areas/accounts.ts';
import { makeDocument, putContent } from './areas/documents-world.ts';
import { makeSpreadsheet, write } from './areas/spreadsheets-world.ts';
import { changeManifest } from './changed-manifest.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from './engines.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { plansOf } from './plans.ts';
import { startS3 } from './s3.ts';
import { mountSmallDisk } from './torture/small-disk.ts';

const nothing = (): Progress => ({ rows: 0, blobs: 0, bytes: 0 });
const MARKED_UP = 'Zeilen\u2028und\u2029Ränder 🗂';

function settingsOf({ databaseUrl, dataDir }: Omit<TestDatabase, 'remove'>): Config {
  return readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: '0',
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
    ATRIUM_OWNER_KEY: OWNER_KEY,
  });
}

/** Something of every area: small and large mail, a file, sharing, contacts, events, another workspace's user. */
async function fill(app: TestApp): Promise<void> {
  const [{ id: inbox }] = data(await app.get('/v1/folders'));
  const message = (text: string) =>
    `From: A <a@x.example>\r\nSubject: ${MARKED_UP}\r\nMessage-ID: <${text.length}@x.example>\r\n\r\n${text}`;
  const headers = { 'content-type': 'message/rfc822' };
  for (const text of ['small', 'x'.repeat(300_000)])
    data(
      await app.request('POST', `/v1/folders/${inbox}/messages?label=one&label=two&flag=read`, {
        body: message(text),
        headers,
      }),
      201,
    );
  const file = data(
    await app.request('POST', '/v1/files?filename=bytes.bin', {
      body: randomBytes(200_000),
      headers: { 'content-type': 'application/octet-stream' },
    }),
    201,
  );
  const friend = await makeUser(app, { name: MARKED_UP });
  data(await app.post(`/v1/files/${file.id}/permissions`, { principal_id: friend.id, role: 'viewer' }), 201);
  data(await app.post('/v1/groups', { name: 'Friends', member_ids: [friend.id] }), 201);
  const sheet = await makeSpreadsheet(app);
  await write(app, sheet, 'A1', [[1, '=A1+1']]);
  data(await app.post(`/v1/spreadsheets/${sheet}/values/append`, KEYED_ROW));
  const document = await makeDocument(app, { key: OWNER_KEY });
  for (const text of [MARKED_UP, 'y'.repeat(300_000)])
    data(await putContent(app, { key: OWNER_KEY }, document.id, text));
  const [book] = data(await app.get('/v1/address-books'));
  data(await app.post('/v1/contacts', { address_book_id: book.id, name: MARKED_UP }), 201);
  const [calendar] = data(await app.get('/v1/calendars'));
  const times = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };
  data(
    await app.post(`/v1/calendars/${calendar.id}/events`, {
      ...times,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      attendees: ['guest@example.org'],
    }),
    201,
  );
  await app.post('/v1/files/uploads', { filename: 'on its way', size: 10_000_000 });
}

/** A row that is appended once for ever. */
const KEYED_ROW = { values: [[{ text: '=x' }, { date: '2026-11-23' }]], row_key: 'once' };

/** What a client sees of all that, without what differs between two answers by itself. */
async function seen(app: Pick<TestApp, 'get'>): Promise<unknown> {
  const dataOf = async (path: string) => data(await app.get(path));
  const messages = await dataOf('/v1/messages?label=one');
  const [file] = await dataOf('/v1/files');
  const [document] = await dataOf('/v1/documents');
  const revisions = `/v1/documents/${document.id}/revisions`;
  const [sheet] = await dataOf('/v1/documents?type=spreadsheet');
  const [calendar] = await dataOf('/v1/calendars');
  const within = 'start=2026-03-01T00:00:00Z&end=2026-04-01T00:00:00Z';
  return {
    folders: await dataOf('/v1/folders'),
    messages,
    raw: await Promise.all(
      messages.map(async ({ id }: { id: string }) => (await app.get(`/v1/messages/${id}/raw`)).text),
    ),
    file,
    access: await dataOf(`/v1/files/${file.id}/access`),
    content: (await app.get(`/v1/files/${file.id}/content`)).text,
    document,
    revisions: await dataOf(revisions),
    contents: await Promise.all([1, 2, 3].map(async (n) => (await app.get(`${revisions}/${n}`)).text)),
    users: await dataOf('/v1/users'),
    contacts: await dataOf('/v1/contacts?q=ränder'),
    events: await dataOf(`/v1/calendars/${calendar.id}/events?${within}`),
    cells: await dataOf(`/v1/spreadsheets/${sheet.id}/values/A:C?render=formatted`),
  };
}

/** Opens the services on storage that is there, for as long as `work` takes. */
async function withServerOn<T>(
  config: Config,
  work: (app: Pick<TestApp, 'get' | 'post'>) => Promise<T>,
): Promise<T> {
  const server = await startServer(config, await openServices(config), pino({ level: 'silent' }));
  const request = async (path: string, init: RequestInit, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${OWNER_KEY}`, ...more };
    const response = await fetch(server.address + path, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  const get: TestApp['get'] = (path) => request(path, {});
  const post: TestApp['post'] = (path, body) =>
    request(
      path,
      { method: 'POST', body: JSON.stringify(body) },
      { 'idempotency-key': randomUUID(), 'content-type': 'application/json' },
    );
  return work({ get, post }).finally(() => server.stop());
}

async function restoreInto(config: Config, directory: string): Promise<Progress> {
  const target = await openRestoreTarget(config);
  const progress = nothing();
  try {
    await restore(directory, target, progress);
    return progress;
  } finally {
    await target.close();
  }
}

/** Turns one bit over in the middle of a message that is a blob. */
async function damageMessage({ services: { database, blobs } }: TestApp): Promise<void> {
  const found = await database.read((tx) =>
    tx
      .selectFrom('message_contents')
      .select('blob_key')
      .where('blob_key', 'is not', null)
      .executeTakeFirstOrThrow(),
  );
  const key = String(found.blob_key);
  const bytes = await buffer(await blobs.get(key));
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1);
  await blobs.remove(key);
  await blobs.put(key, Readable.from([bytes]));
}

async function wholeMessages(tx: ReadTransaction) {
  return tx
    .selectFrom('messages as m')
    .innerJoin('message_states as s', (join) =>
      join.onRef('s.workspace_id', '=', 'm.workspace_id').onRef('s.number', '=', 'm.number'),
    )
    .selectAll('m')
    .select(['s.folder_number', 's.date', 's.flags', 's.labels'])
    .execute();
}

/** A message on its way out that is not there, and due when all is over. */
async function outgoingOfNothing(tx: ReadTransaction) {
  const { id: user_id, workspace_id } = await tx.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  const ids = { workspace_id, user_id, id: 'out_1', message_id: 'gone', message_id_header: '' };
  return { ...ids, sender: '', recipients: '[]', attempts: 0, next_attempt_at: 2 ** 52, queued_at: 0 };
}

/** A server whose newest message is expunged. */
async function expungedApp(engine: Engine) {
  const source = await startApp(engine);
  const [{ id: inbox }] = data(await source.get('/v1/folders'));
  const { id: expunged } = data(
    await source.request('POST', `/v1/folders/${inbox}/messages?flag=deleted`, {
      body: 'Subject: gone\r\n\r\n',
      headers: { 'content-type': 'message/rfc822' },
    }),
    201,
  );
  assert.deepEqual(data(await source.post(`/v1/folders/${inbox}/expunge`)), { expunged: 1 });
  return { source, inbox, expunged };
}

forEachEngine((engine) => {
  describe('a backup', () => {
    let app: TestApp;
    let home: string;
    let directory: string;
    let original: unknown;
    before(async () => {
      app = await startApp(engine);
      await fill(app);
      home = await mkdtemp(join(tmpdir(), 'atrium-test-backup-'));
      directory = join(home, 'backup');
      original = await seen(app);
      await backUp(app.services, directory, nothing());
    });
    after(async () => {
      await app.stop();
      await rm(home, { recursive: true });
    });

    it('a backup is whole, and says so (OPS-50)', async () => {
      const progress = nothing();
      await verifyArchive(directory, progress);
      assert.equal(progress.blobs, 3, 'the large message, the file and the large content');
      assert.ok(progress.rows > 50 && progress.bytes > 500_000);
    });

    for (const other of ['sqlite', 'postgres'] as const) {
      it(`a backup comes back on ${other} as it was, without what was under way (OPS-48, OPS-51, SHEET-77)`, async () => {
        const storage = await freshDatabase(other);
        const config = settingsOf(storage);
        try {
          await restoreInto(config, directory);
          const restored = await withServerOn(config, async (app) => {
            const found = await seen(app);
            const [{ id: sheet }] = data(await app.get('/v1/documents?type=spreadsheet'));
            const again = data(await app.post(`/v1/spreadsheets/${sheet}/values/append`, KEYED_ROW));
            assert.deepEqual([again.changed, again.range], [false, 'Sheet1!A2:B2']);
            assert.deepEqual(await refilled(config), [], 'nothing is amiss');
            return found;
          });
          assert.deepEqual(restored, original);
          assert.equal(await uploadsIn(config), 0, 'what is under way stays behind');
        } finally {
          await storage.remove();
        }
      });
    }

    for (const other of ['sqlite', 'postgres'] as const) {
      it(`lets on ${other} what was expunged come back beside what came after it`, async () => {
        const { source, inbox, expunged } = await expungedApp(engine);
        const kept = join(home, `expunged for ${other}`);
        await backUp(source.services, kept, nothing()).finally(() => source.stop());
        const storage = await freshDatabase(other);
        const config = settingsOf(storage);
        await restoreInto(config, kept);
        const server = await startServer(config, await openServices(config), pino({ level: 'silent' }));
        try {
          const post = (path: string, type: string, body: string) =>
            fetch(server.address + path, {
              method: 'POST',
              headers: {
                authorization: `Bearer ${OWNER_KEY}`,
                'idempotency-key': path,
                'content-type': type,
              },
              body,
            });
          const late = await post(`/v1/folders/${inbox}/messages`, 'message/rfc822', 'Subject: late\r\n\r\n');
          assert.equal(late.status, 201);
          const back = await post(`/v1/messages/${expunged}/restore`, 'application/json', '{}');
          assert.equal(back.status, 200, await back.text());
        } finally {
          await server.stop();
          await storage.remove();
        }
      });
    }

    it('a backup comes back into a blob store of the other kind (OPS-18, OPS-51)', async (t) => {
      const [s3, storage] = [await startS3(), await freshDatabase(engine)];
      Object.assign(process.env, s3.env);
      t.after(async () => {
        await storage.remove();
        await s3.stop();
      });
      const config = { ...settingsOf(storage), blobs: s3.blobs };
      await restoreInto(config, directory);
      assert.deepEqual(await withServerOn(config, seen), original);
      assert.ok(s3.requests.some((request) => request.startsWith('GET ')));
    });

    it('a backup is of one moment, though others go on writing (OPS-48)', async () => {
      const [{ id: inbox }] = data(await app.get('/v1/folders'));
      let writing = true;
      const write = async () => {
        while (writing) {
          const body = `Subject: meanwhile\r\n\r\n${randomBytes(8).toString('hex')}`;
          const headers = { 'content-type': 'message/rfc822' };
          await app.request('POST', `/v1/folders/${inbox}/messages?label=one`, { body, headers });
        }
      };
      const writers = [write(), write(), write()];
      const busy = join(home, 'busy');
      await backUp(app.services, busy, nothing());
      writing = false;
      await Promise.all(writers);
      original = await seen(app);
      const storage = await freshDatabase(engine);
      const config = settingsOf(storage);
      await restoreInto(config, busy);
      assert.deepEqual(await refilled(config), []);
      await storage.remove();
      await rm(directory, { recursive: true });
      await backUp(app.services, directory, nothing());
    });

    it('repeats an answer whose key came before it, of a body that streams too', async () => {
      const writes = [
        { path: '/v1/file-folders', type: 'application/json', body: JSON.stringify({ name: 'once' }) },
        { path: '/v1/files?filename=once.bin', type: 'application/octet-stream', body: 'x'.repeat(200_000) },
      ];
      const first = await Promise.all(
        writes.map(({ path, type, body }) =>
          app.request('POST', path, { body, idempotencyKey: path, headers: { 'content-type': type } }),
        ),
      );
      const again = join(home, 'with-answers');
      await backUp(app.services, again, nothing());
      const storage = await freshDatabase(engine);
      const config = settingsOf(storage);
      await restoreInto(config, again);
      const server = await startServer(config, await openServices(config), pino({ level: 'silent' }));
      const send = async ({ path, type, body }: (typeof writes)[number]) => {
        const headers = {
          authorization: `Bearer ${OWNER_KEY}`,
          'idempotency-key': path,
          'content-type': type,
        };
        const response = await fetch(server.address + path, { method: 'POST', headers, body });
        return [response.status, await response.text()];
      };
      for (const [i, write] of writes.entries()) assert.deepEqual(await send(write), [201, first[i]?.text]);
      // The other tests look at the file that was there before.
      assert.equal((await app.delete(`/v1/files/${first[1]?.json.data.id}`)).status, 204);
      await server.stop();
      await storage.remove();
    });

    it('a backup goes into a directory of its own only (OPS-48)', async () => {
      await assert.rejects(backUp(app.services, directory, nothing()), ArchiveError);
    });

    it('says that a disk has no room for it', async (t) => {
      const full = join(home, 'full');
      await mkdir(full);
      const disk = mountSmallDisk(full);
      if (!disk) return t.skip('the system lets us mount no file system in memory');
      t.after(() => disk.unmount());
      await disk.fill();
      await assert.rejects(backUp(app.services, full, nothing()), {
        name: 'ArchiveError',
        message: /^There is no room in /,
      });
      await assert.rejects(verifyArchive(full, nothing()), ArchiveError);
    });

    it('a backup does not replace what is there (OPS-51)', async () => {
      const target = await openRestoreTarget(app.config);
      await assert.rejects(restore(directory, target, nothing()), /holds a workspace already/);
      await target.close();
      assert.deepEqual(await seen(app), original);
    });

    it('a backup that broke off while it came back serves nothing, and can come back again (OPS-52)', async () => {
      const storage = await freshDatabase(engine);
      const config = settingsOf(storage);
      const target = await openRestoreTarget(config);
      let left = 30;
      const { database } = target;
      const breaking = Object.assign(Object.create(database), {
        engine: database.engine,
        read: database.read.bind(database),
        write: (work: Parameters<typeof database.write>[0]) =>
          left-- > 0 ? database.write(work) : Promise.reject(new Error('the power went')),
      });
      left = 5;
      await assert.rejects(
        restore(directory, { ...target, database: breaking }, nothing()),
        /the power went/,
      );
      await target.close();
      await assert.rejects(openServices(config), /a restore into it broke off/);
      await restoreInto(config, directory);
      assert.deepEqual(await withServerOn(config, seen), original);
      await storage.remove();
    });
  });

  describe('what is stored is verified', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await fill(app);
    });
    after(() => app.stop());

    it('what is stored is verified and found good (OPS-50)', async () =>
      assert.deepEqual(await verify(app.services, nothing()), []));

    it('without looking through a whole workspace or mailbox for each row', {
      skip: engine !== 'sqlite',
    }, async () => {
      for (const rule of RULES) {
        const steps = (
          await app.services.database.read((tx) => plansOf(tx, () => findBreach(tx, rule)))
        ).flat();
        const slow = steps.filter((step) => /^SEARCH .*\(workspace_id=\?( AND user_id=\?)?\)/.test(step));
        assert.deepEqual(slow, [], rule.says);
      }
    });

    it('what is stored is verified and told to be amiss, each by its rule (OPS-50)', async () => {
      const { database, blobs } = app.services;
      const [row] = await database.read((tx) => tx.selectFrom('files').select('blob_key').execute());
      await blobs.remove(String(row?.blob_key));
      await damageMessage(app);
      await database.write(async (tx) => {
        await tx.updateTable('mail_folder_counts').set({ messages: 7 }).execute();
        await tx.updateTable('messages').set({ thread_id: 'other' }).execute();
        await tx.updateTable('message_states').set({ labels: '["one"]' }).execute();
        for (const message of await wholeMessages(tx))
          await tx.insertInto('expunged_messages').values(message).execute();
        const state = await tx.selectFrom('message_states').select('number').executeTakeFirstOrThrow();
        await tx
          .updateTable('message_states')
          .set({ number: 1_000_000 })
          .where('number', '=', state.number)
          .execute();
        await tx.updateTable('message_contents').set({ content_of: 1_000_000 }).execute();
        await tx.updateTable('contacts').set({ address_book_id: 'gone' }).execute();
        await tx.updateTable('calendar_events').set({ id: 'other' }).execute();
        await tx.updateTable('node_grants').set({ node_place: '' }).execute();
        await tx.deleteFrom('node_grams').execute();
        await tx.updateTable('document_revisions').set({ size: 1 }).where('revision', '=', 2).execute();
        await tx
          .deleteFrom('blob_checksums')
          .where('blob_key', 'in', (eb) =>
            eb
              .selectFrom('document_revisions')
              .select('blob_key')
              .where('blob_key', 'is not', null)
              .$castTo<{ blob_key: string }>(),
          )
          .execute();
        await tx.deleteFrom('document_revisions').where('revision', '=', 1).execute();
        await tx.deleteFrom('user_addresses').execute();
        await tx.deleteFrom('key_workspaces').execute();
        await tx.deleteFrom('contact_grams').execute();
        await tx.updateTable('node_grants').set({ principal_id: 'gone' }).execute();
        await tx.updateTable('files').set({ node_id: 'gone' }).execute();
        await tx.updateTable('spreadsheet_blocks').set({ sheet: 'gone' }).execute();
        await tx.updateTable('nodes').set({ owner_id: 'gone' }).where('kind', '=', 'spreadsheet').execute();
        await tx.updateTable('group_members').set({ group_id: 'gone' }).execute();
        await tx
          .insertInto('mail_outbox')
          .values(await outgoingOfNothing(tx))
          .execute();
      });
      const problems = (await verify(app.services, nothing())).join('\n');
      for (const said of [
        /counts of a folder/,
        /Each message has its state/,
        /Each state is that of a message/,
        /Each number is that of one message/,
        /summary of a message names its thread/,
        /Each copy shares the content of a message/,
        /Each label of a message/,
        /Each contact is in an address book/,
        /count of an address book/,
        /Each span is of an event/,
        /Each invitation is to an event/,
        /Each event invites whom it lists/,
        /Each grant is of something/,
        /found by how its title begins/,
        /Each document has revisions/,
        /Each revision has its content/,
        /The workspace of each key/,
        /found by the e-mail address/,
        /Each user is found by every address/,
        /Each member is one of a group/,
        /Each row of nodes is of a user/,
        /Each event is found in its calendar/,
        /Each contact is found by what is searched/,
        /Mail that waits to leave has its content/,
        /Each grant is to a user or a group/,
        /Each content is that of a file/,
        /Each sheet has as many formulas as its cells/,
        /Each row of spreadsheet_blocks is of a sheet/,
        /The blob \S+ is missing/,
        /The blob \S+ has other bytes than came in/,
        /The blob \S+ has no checksum/,
      ])
        assert.match(problems, said);
    });
  });
});

it('lists its blobs in one order, whoever of those that copy them is first on the disk', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'atrium-test-backup-'));
  t.after(() => rm(home, { recursive: true }));
  const path = join(home, 'blobs.jsonl');
  const lines = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(i % 2 === 0 ? 1_000_000 : 10)}`);
  const file = await LineFile.create(path);
  await Promise.all(lines.map((line) => file.write([line])));
  const { sha256 } = await file.close();
  assert.deepEqual(await Array.fromAsync(readLines(path, sha256)), lines);
});

describe('a damaged backup', () => {
  let app: TestApp;
  let home: string;
  let copies = 0;
  before(async () => {
    app = await startApp('sqlite');
    await fill(app);
    await makeKey(app, ['files.read']);
    home = await mkdtemp(join(tmpdir(), 'atrium-test-backup-'));
  });
  after(async () => {
    await app.stop();
    await rm(home, { recursive: true });
  });

  const damages: [string, (directory: string) => Promise<void>, RegExp][] = [
    ['without a manifest', (directory) => rm(join(directory, 'manifest.json')), /holds no backup/],
    [
      'of another format',
      (directory) => edit(directory, 'manifest.json', '"format": 2', '"format": 3'),
      /cannot read/,
    ],
    [
      'with rows that were added',
      (directory) => appendFile(join(directory, 'tables/users.jsonl'), '[]\n'),
      /users/,
    ],
    [
      'with a row that was changed',
      (directory) => edit(directory, 'tables/users.jsonl', 'Someone', 'Anybody'),
      /users.jsonl is damaged/,
    ],
    ['with a blob that is gone', async (directory) => rm(await someBlob(directory)), /cannot be read/],
    [
      'with other bytes in a blob',
      async (directory) => writeFile(await someBlob(directory), 'x'),
      /has other bytes/,
    ],
  ];
  for (const [name, damage, said] of damages) {
    it(`${name} is told (OPS-50)`, async () => {
      const directory = join(home, `copy-${copies++}`);
      await makeUser(app);
      await backUp(app.services, directory, nothing());
      await damage(directory);
      await assert.rejects(verifyArchive(directory, nothing()), (error: Error) => {
        assert.ok(error instanceof ArchiveError, error.message);
        assert.match(error.message, said);
        return true;
      });
    });
  }

  it('of an earlier version is brought up to date', async () => {
    const directory = join(home, 'earlier');
    const earlier = await freshDatabase('sqlite');
    const database = await openDatabase(settingsOf(earlier));
    await migrate(database, migrations.slice(0, 2));
    await database.write((tx) =>
      tx.insertInto('workspaces').values({ id: 'ws_1', name: 'Kept', created_at: 1 }).execute(),
    );
    await backUp({ database, blobs: app.services.blobs }, directory, nothing());
    await database.close();
    const storage = await freshDatabase('sqlite');
    await restoreInto(settingsOf(storage), directory);
    const services = await openServices(settingsOf(storage));
    const workspaces = await services.database.read((tx) => services.directory.listWorkspaces(tx));
    assert.deepEqual(
      workspaces.map(({ name }) => name),
      ['Kept'],
    );
    await services.close();
    await Promise.all([earlier.remove(), storage.remove()]);
  });

  it('of a newer version is refused', async () => {
    const directory = join(home, 'newer');
    await backUp(app.services, directory, nothing());
    await changeManifest(directory, (manifest) => {
      manifest.migrations[0] = '9999-not-yet';
    });
    const storage = await freshDatabase('sqlite');
    await assert.rejects(restoreInto(settingsOf(storage), directory), /newer than this program/);
    await storage.remove();
  });
});

async function uploadsIn(config: Config): Promise<number> {
  const { database, close } = await openServices(config);
  const rows = await database.read((tx) => tx.selectFrom('upload_sessions').select('id').execute());
  return close().then(() => rows.length);
}

async function refilled(config: Config): Promise<string[]> {
  const services = await openServices(config);
  return verify(services, nothing()).finally(() => services.close());
}

async function edit(directory: string, file: string, from: string, to: string): Promise<void> {
  const path = join(directory, file);
  const text = await readFile(path, 'utf8');
  assert.ok(text.includes(from), `${file} has no ${from}`);
  await writeFile(path, text.replace(from, to));
}

async function someBlob(directory: string): Promise<string> {
  const [blob = ''] = (await readdir(join(directory, 'blobs'))) as string[];
  return join(directory, 'blobs', blob);
}
