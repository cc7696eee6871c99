import { AtriumError, type Message } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import { session } from '../../app/session.ts';
import type { AttachedFile } from './draft-state.ts';

type File = { id: string } & AttachedFile;

/** Attachments are files of the drive: those from elsewhere get a folder there. */
const FOLDER = 'Mail attachments';

/** By user: where the attachments of each go. */
const folders = new Map<string | undefined, Promise<string>>();

/** Uploads a file of this computer; `onProgress` gets the part that is done, 0 to 1. */
export async function uploadAttachment(
  file: globalThis.File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<File> {
  const record = await inFolder(async (folderId) =>
    api.files.upload(file, {
      filename: nameOf(file.name),
      folderId,
      onProgress: ({ done, total }) => onProgress(total === 0 ? 1 : done / total),
      signal,
    }),
  );
  return { id: record.id, name: record.title, size: record.size_bytes };
}

/** Takes an attachment of a message along; its bytes stay on the server. */
export async function forwardAttachment(
  message: Message,
  { id, filename }: Message['attachments'][number],
): Promise<File> {
  const file = await inFolder(async (folderId) =>
    api.mail.saveAttachment(message.id, id, { folder_id: folderId, title: nameOf(filename) }),
  );
  return { id: file.id, name: file.title, size: file.size_bytes };
}

/** The drive takes no longer names, and none with these characters. */
function nameOf(filename: string): string {
  const clean = [...filename.replace(/[\p{Cc}/\\]+/gu, ' ').trim()].slice(-255).join('');
  return clean || 'attachment';
}

/** Where the folder has gone since it was found, the next file looks for it again. */
async function inFolder<T>(bring: (folderId: string) => Promise<T>): Promise<T> {
  const userId = session.ownerId;
  const folder = folders.get(userId) ?? findFolder();
  folders.set(userId, folder);
  try {
    return await bring(await folder);
  } catch (error) {
    folders.delete(userId);
    throw error;
  }
}

async function findFolder(): Promise<string> {
  const find = async () =>
    (await api.files.listFileFolders()).find(
      ({ name, parent_id, trashed }) => name === FOLDER && parent_id === '' && !trashed,
    )?.id;
  const there = await find();
  if (there !== undefined) return there;
  try {
    return (await api.files.createFileFolder({ name: FOLDER })).id;
  } catch (error) {
    // Another window was first.
    const id = error instanceof AtriumError && error.status === 409 ? await find() : undefined;
    if (id === undefined) throw error;
    return id;
  }
}
