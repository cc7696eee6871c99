import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { newId } from '../../src/platform/ids.ts';
import { createOwnedWorkspace } from '../../src/start/first-workspace.ts';
import type { Database, Engine, ReadTransaction } from '../../src/storage/database.ts';
import { makeDocument } from '../areas/documents-world.ts';
import { makeFolder, putFile, shareWith } from '../areas/files-world.ts';
import { append, folderOf, rfc822 } from '../areas/mail-world.ts';
import { putPart, start } from '../areas/uploads-world.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';

/** One object of every kind, all of one user. */
export interface Objects {
  user: string;
  group: string;
  resource: string;
  key: string;
  folder: string;
  /** Empty, and made by the user. */
  removableFolder: string;
  message: string;
  thread: string;
  attachment: string;
  filter: string;
  draft: string;
  removableDraft: string;
  sendableDraft: string;
  file: string;
  fileFolder: string;
  filePermission: string;
  fileFolderPermission: string;
  document: string;
  spreadsheet: string;
  /** All of its parts have come; the other is open too. */
  upload: string;
  otherUpload: string;
  book: string;
  contact: string;
  calendar: string;
  /** Lists its user. */
  event: string;
  removableEvent: string;
  /** Disabled, so that nothing happens beside the requests; has an attempt and a dead delivery. */
  webhook: string;
  /** Disabled too. */
  otherWebhook: string;
  removableWebhook: string;
  deadDelivery: string;
}

/** It resolves to an address of this machine, which no webhook reaches. */
export const QUIET_URL = 'https://localhost/hook';
/** No example causes such a change. */
export const QUIET_TYPES = ['message.restored'];

/** It matches nothing. */
const FILTER = {
  name: 'Filter',
  priority: 1,
  rule: {
    conditions: [{ field: 'header:x-none', op: 'contains', value: 'none' }],
    actions: [{ type: 'mark_read' }],
  },
};

/** An application with the caller's objects, those of another user of the workspace, and those of another workspace. */
export interface World {
  app: TestApp;
  /** That of the caller and of the other user. */
  workspaceId: string;
  mine: Objects;
  colleagues: Objects;
  strangers: Objects;
  /** A key of the other user, with every permission. */
  colleagueKey: string;
  /** A key of the user of the other workspace. */
  strangersKey: string;
}

const WITH_ATTACHMENT = [
  'Message-ID: <refusals@t.example>',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'text',
  '--b--',
].join('\r\n');

export async function createWorld(engine: Engine): Promise<World> {
  const app = await startApp(engine, { ATRIUM_CURSOR_TTL: '3600' });
  const me = (await app.get('/v1/users/me')).json.data.id;
  const colleague = (await app.post('/v1/users', { email: 'colleague@t.example', name: 'Colleague' })).json
    .data.id;
  const colleagueKey = await createKey(app, colleague);
  for (let i = 0; i < 2; i++) await inviteOwner(app, colleagueKey);
  const stranger = await app.services.database.write((tx) =>
    createOwnedWorkspace(tx, app.services, { name: 'Elsewhere', ownerEmail: 'stranger@t.example' }),
  );
  return {
    app,
    workspaceId: await workspaceOf(app, me),
    mine: await createObjects(app, me, OWNER_KEY),
    colleagues: await createObjects(app, colleague, colleagueKey),
    strangers: await createObjects(app, stranger.ownerId, stranger.key),
    colleagueKey,
    strangersKey: stranger.key,
  };
}

/** An event of another user that lists the caller. */
async function inviteOwner(app: TestApp, key: string): Promise<void> {
  const { email } = (await app.get('/v1/users/me')).json.data;
  const [{ id: calendar }] = (await app.get('/v1/calendars', { key })).json.data;
  const meeting = { starts_at: '2026-03-03T09:00:00Z', ends_at: '2026-03-03T10:00:00Z', attendees: [email] };
  await app.post(`/v1/calendars/${calendar}/events`, meeting, { key });
}

async function workspaceOf(app: TestApp, user: string): Promise<string> {
  const found = await app.services.database.read((tx) => app.services.directory.findUser(tx, user));
  if (!found) throw new TypeError(`there is no user ${user}`);
  return found.workspaceId;
}

async function createKey(app: TestApp, userId: string): Promise<string> {
  const body = { name: 'all', permissions: ALL_PERMISSIONS, user_id: userId };
  return (await app.post('/v1/api-keys', body)).json.data.key;
}

/** One object of every kind, of the user whose key this is. */
export async function createObjects(app: TestApp, user: string, key: string): Promise<Objects> {
  const created = async (path: string, body: object) => (await app.post(path, body, { key })).json.data.id;
  const folder = await folderOf(app, 'inbox', key);
  const message = await append(app, folder, WITH_ATTACHMENT, { key, query: '?flag=starred&label=todo' });
  await append(app, folder, rfc822(), { key });
  const person = { id: user, key };
  const group = await created('/v1/groups', { name: 'Team', member_ids: [user] });
  const file = await putFile(app, person);
  const fileFolder = await makeFolder(app, person, 'Folder');
  const [{ id: book }] = (await app.get('/v1/address-books', { key })).json.data;
  await created('/v1/contacts', {
    address_book_id: book,
    name: 'Grace',
    emails: [{ address: 'g@t.example' }],
  });
  const [{ id: calendar }] = (await app.get('/v1/calendars', { key })).json.data;
  const { email } = (await app.get('/v1/users/me', { key })).json.data;
  const meeting = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z', attendees: [email] };
  const events = `/v1/calendars/${calendar}/events`;
  const webhook = await createWebhook(app, key);
  const { attachments } = (await app.get(`/v1/messages/${message.id}`, { key })).json.data;
  return {
    user,
    group,
    resource: await created('/v1/resources', { name: 'Room', kind: 'room' }),
    key: await created('/v1/api-keys', { name: 'one', permissions: ['files.read'] }),
    folder,
    removableFolder: await created('/v1/folders', { name: `Empty ${randomUUID()}` }),
    message: message.id,
    thread: message.thread_id,
    attachment: attachments[0].id,
    filter: await created('/v1/mail/filters', FILTER),
    draft: await created('/v1/drafts', { subject: 'Draft' }),
    removableDraft: await created('/v1/drafts', {}),
    sendableDraft: await created('/v1/drafts', { to: [email] }),
    file: file.id,
    fileFolder: fileFolder.id,
    fileFolderPermission: (await shareWith(app, person, fileFolder.id, group, 'viewer')).id,
    filePermission: (await shareWith(app, person, file.id, group, 'viewer')).id,
    document: (await makeDocument(app, person)).id,
    spreadsheet: (await makeDocument(app, person, { type: 'spreadsheet' })).id,
    upload: await openUpload(app, key),
    otherUpload: await openUpload(app, key),
    book,
    contact: await created('/v1/contacts', { address_book_id: book, name: 'Ada' }),
    calendar,
    event: await created(events, meeting),
    removableEvent: await created(events, meeting),
    webhook,
    otherWebhook: await createWebhook(app, key),
    removableWebhook: await createWebhook(app, key),
    deadDelivery: await addDeadDelivery(app, webhook),
  };
}

/** A webhook that is disabled, as only time and an endpoint disable one. */
async function createWebhook(app: TestApp, key: string): Promise<string> {
  const { json } = await app.post('/v1/webhooks', { url: QUIET_URL, types: QUIET_TYPES }, { key });
  const { id } = json.data;
  await app.services.database.write((tx) =>
    tx.updateTable('webhooks').set({ disabled_reason: 'gone' }).where('id', '=', id).execute(),
  );
  await app.post(`/v1/webhooks/${id}/test`, undefined, { key });
  return id;
}

async function addDeadDelivery(app: TestApp, webhook: string): Promise<string> {
  const id = newId('whd');
  const at = new Date().toISOString();
  const change = { id: newId('chg'), type: QUIET_TYPES[0], at, actor: null, ids: {} };
  await app.services.database.write(async (tx) => {
    const { workspace_id } = await tx
      .selectFrom('webhooks')
      .select('workspace_id')
      .where('id', '=', webhook)
      .executeTakeFirstOrThrow();
    const refused = { at: Date.now(), status: 400, error: 'The endpoint has answered 400.' };
    await tx
      .insertInto('webhook_dead_deliveries')
      .values({
        workspace_id,
        webhook_id: webhook,
        id,
        change: JSON.stringify(change),
        redelivering: 0,
        ...refused,
      })
      .execute();
  });
  return id;
}

/** An upload of one byte, which has come. */
async function openUpload(app: TestApp, key: string): Promise<string> {
  const { session_id: id } = await start(app, 1, {}, { key });
  await putPart(app, id, 1, 'x', { key });
  return id;
}

/** A stored row, by the name of its table. */
export interface StoredRow {
  table: string;
  row: Record<string, unknown>;
}

/** Everything that is stored but the kept answers, as one text: equal texts mean that nothing has changed. */
export async function storedState(database: Database): Promise<string> {
  return (await storedTexts(database)).join('\n');
}

/** Every row that is stored but the kept answers, with its table before it, as a text; in an order of their own. */
export async function storedTexts(database: Database): Promise<string[]> {
  const texts =
    database.engine === 'postgres'
      ? await textsByOneStatement(database)
      : (await storedRows(database)).map(({ table, row }) => `${table}:${JSON.stringify(row)}`);
  return texts.sort();
}

/** One for each table is most of the work of the tests that compare states. */
function textsByOneStatement(database: Database): Promise<string[]> {
  return database.read(async (tx) => {
    const selects = (await tablesOf(tx)).map(
      (table) =>
        sql`select ${sql.lit(`${table}:`)} || row_to_json(t)::text as stored from ${sql.table(table)} t`,
    );
    const { rows } = await sql<{ stored: string }>`${sql.join(selects, sql` union all `)}`.execute(tx);
    return rows.map(({ stored }) => stored);
  });
}

/** Every row that is stored but the kept answers, and what is derived in the background for the search. */
export function storedRows(database: Database): Promise<StoredRow[]> {
  return database.read(async (tx) => {
    const stored: StoredRow[] = [];
    for (const table of await tablesOf(tx)) {
      const { rows } = await sql<StoredRow['row']>`select * from ${sql.table(table)}`.execute(tx);
      for (const row of rows) stored.push({ table, row });
    }
    return stored;
  });
}

async function tablesOf(tx: ReadTransaction): Promise<string[]> {
  const names =
    tx.engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' order by name`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  const tables = (await names.execute(tx)).rows.map(({ name }) => name);
  return tables.filter((table) => table !== 'idempotency_records' && !/^(?:sqlite|search)_/.test(table));
}
