/** Two installations, and a workspace of the first with something of every area. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../src/storage/database.ts';
import { data, freshAddress, makeWorkspace } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { makeSpreadsheet, put, rangePath } from '../areas/spreadsheets-world.ts';
import { atriumJson } from '../command-line.ts';
import { startApp, type TestApp } from '../harness.ts';
import { startS3 } from '../s3.ts';

/** From which engine to which, and whether the second keeps its blobs in S3. */
export const PAIRS: readonly { from: Engine; to: Engine; s3: boolean }[] = [
  { from: 'sqlite', to: 'sqlite', s3: false },
  { from: 'sqlite', to: 'postgres', s3: true },
  { from: 'postgres', to: 'postgres', s3: false },
];

export interface Installations {
  readonly source: TestApp;
  readonly target: TestApp;
  /** The file with the settings of the target. */
  readonly settings: string;
  stop(): Promise<void>;
}

/** Starts both, with `given` settings; each has a workspace of its own, with content. */
export async function startInstallations(
  { from, to, s3 }: (typeof PAIRS)[number],
  given: Record<string, string> = {},
): Promise<Installations> {
  const store = s3 ? await startS3() : undefined;
  if (store) Object.assign(process.env, store.env);
  const source = await startApp(from, given);
  const target = await startApp(to, { ...given, ...(store && { ATRIUM_BLOBS: store.blobs }) });
  for (const app of [source, target]) await appendMessage(app, undefined, 'of the one that stays');
  const settings = join(source.config.dataDir, 'target.env');
  const { dataDir, databaseUrl, blobs } = target.config;
  const lines = {
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
    ATRIUM_BLOBS: blobs,
    ...store?.env,
  };
  const text = Object.entries(lines).flatMap(([name, value]) => (value ? [`${name}='${value}'\n`] : []));
  await writeFile(settings, text.join(''));
  const stop = async () => {
    await source.stop();
    await target.stop();
    await store?.stop();
  };
  return { source, target, settings, stop };
}

/** Appends a message to the first folder of whoever has the key. */
export async function appendMessage(app: TestApp, key: string | undefined, text: string, body = text) {
  const options = key === undefined ? {} : { key };
  const [{ id }] = data(await app.get('/v1/folders', options));
  return app.request('POST', `/v1/folders/${id}/messages?label=one&flag=read`, {
    ...options,
    body: `From: A <a@x.example>\r\nSubject: ${text}\r\nMessage-ID: <${text.replaceAll(' ', '.')}@x.example>\r\n\r\n${body}`,
    headers: { 'content-type': 'message/rfc822' },
  });
}

/** A workspace with its id and the key of its owner. */
export interface Moved {
  readonly id: string;
  readonly key: string;
}

/** Another workspace of an installation, with something of every area. */
export async function makeMoved(app: TestApp): Promise<Moved> {
  const { ownerId, key } = await makeWorkspace(app);
  const owner = await app.services.database.read((tx) => app.services.directory.findUser(tx, ownerId));
  const as = { key };
  data(await appendMessage(app, key, 'a whale'), 201);
  data(await appendMessage(app, key, 'a long whale', 'x'.repeat(300_000)), 201);
  const octets = { headers: { 'content-type': 'application/octet-stream' }, key };
  const file = await app.request('POST', '/v1/files?filename=bytes.bin', {
    body: randomBytes(200_000),
    ...octets,
  });
  data(file, 201);
  const friend = data(await app.post('/v1/users', { email: freshAddress(), name: 'A friend' }, as), 201);
  const grant = { principal_id: friend.id, role: 'viewer' };
  data(await app.post(`/v1/files/${file.json.data.id}/permissions`, grant, as), 201);
  data(await app.post('/v1/groups', { name: 'Friends', member_ids: [friend.id] }, as), 201);
  const document = await makeDocument(app, as);
  data(await putContent(app, as, document.id, 'y'.repeat(300_000)));
  data(await put(app, await makeSpreadsheet(app, 'Budget', key), 'A1', [[1, '=A1+1']], as));
  const [book] = data(await app.get('/v1/address-books', as));
  data(await app.post('/v1/contacts', { address_book_id: book.id, name: 'Ishmael' }, as), 201);
  data(await app.post('/v1/webhooks', { url: 'https://hook.example/x', types: ['message.*'] }, as), 201);
  return { id: owner?.workspaceId ?? '', key };
}

/** What is read of a workspace, as texts: the same before and after. */
export async function readMoved(app: TestApp, { key }: Moved): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  const get = async (path: string) => {
    const answer = await app.get(path, { key });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    read[path] = answer.json?.data ?? answer.text;
    return answer.json?.data;
  };
  const folders = await get('/v1/folders');
  const messages = await get(`/v1/messages?folder_id=${folders[0].id}&limit=100`);
  for (const { id } of messages.slice(0, 3)) await get(`/v1/messages/${id}`);
  for (const path of ['users', 'groups', 'api-keys', 'labels', 'address-books', 'contacts', 'calendars'])
    await get(`/v1/${path}`);
  const files = await get('/v1/files');
  for (const { id } of files) await get(`/v1/files/${id}/content`);
  for (const { id, type } of await get('/v1/documents'))
    await get(type === 'spreadsheet' ? rangePath(id, 'A1:B1') : `/v1/documents/${id}/content`);
  // Grows by itself.
  for (const webhook of await get('/v1/webhooks')) delete webhook.lag_seconds;
  return read;
}

/** Fails where `atrium verify` finds a problem. */
export async function assertSound(app: TestApp): Promise<void> {
  assert.deepEqual((await atriumJson(app, 'verify')).problems, []);
}
