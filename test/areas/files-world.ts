import assert from 'node:assert/strict';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { newId } from '../../src/platform/ids.ts';
import { OWNER_KEY, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';

/** A record of the drive, as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Data = any;

/** A user with a key of every permission. */
export interface Person {
  id: string;
  key: string;
}

/** The first user of the application. */
export async function theOwner(app: TestApp): Promise<Person> {
  return { id: data(await app.get('/v1/users/me')).id, key: OWNER_KEY };
}

/** A new user of the owner's workspace. */
export async function makePerson(app: TestApp): Promise<Person> {
  const { id } = await makeUser(app);
  return { id, key: (await makeKey(app, ALL_PERMISSIONS, { user_id: id })).key };
}

/** What a file is made of; what is not given does not matter. */
export interface FileDraft {
  filename?: string;
  mimeType?: string;
  bytes?: Uint8Array;
  folderId?: string;
}

/** Stores a file as an upload does; answers its record. */
export async function putFile(
  app: TestApp,
  { id: userId, key }: Person,
  draft: FileDraft = {},
): Promise<Data> {
  const {
    filename = 'file.txt',
    mimeType = 'text/plain',
    bytes = Buffer.from('text'),
    folderId = '',
  } = draft;
  const { database, blobs, directory, files } = app.services;
  const blobKey = newId('blob');
  const { size } = await blobs.put(blobKey, chunked(bytes));
  const id = newId('file');
  await database.write(async (tx) => {
    const user = await directory.findUser(tx, userId);
    assert.ok(user);
    await files.createFile(tx, user, { id, filename, mimeType, size, blobKey, folderId });
  });
  return data(await app.get(`/v1/files/${id}`, { key }));
}

async function* chunked(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Creates a folder; answers its record. */
export async function makeFolder(app: TestApp, { key }: Person, name: string, parentId = ''): Promise<Data> {
  return data(await app.post('/v1/file-folders', { name, parent_id: parentId }, { key }), 201);
}

/** Shares a file or a folder with a user or a group; answers the grant. */
export async function shareWith(
  app: TestApp,
  { key }: Person,
  id: string,
  principalId: string,
  role: string,
): Promise<Data> {
  const type = principalId.startsWith('grp_') ? 'group' : 'user';
  const body = { principal_id: principalId, role, principal_type: type };
  const shared = id.startsWith('dir_') ? 'file-folders' : 'files';
  return data(await app.post(`/v1/${shared}/${id}/permissions`, body, { key }), 201);
}

/** The ids of a listing, in its order. */
export async function listedIds(app: TestApp, { key }: Person, path: string): Promise<string[]> {
  return data(await app.get(path, { key })).map(({ id }: { id: string }) => id);
}
