import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileRecord } from '../../../client/src/generated/areas.ts';
import type { UploadSource } from '../../../client/src/upload.ts';
import type { Connection } from './connection.ts';
import type { TransferProgress } from './progress-bar.ts';
import { RememberedUploads, type UploadedFile } from './remembered-uploads.ts';

/** The file is not any more what its first parts were sent from. */
class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** Uploads a file; goes on where an earlier run has stopped, as long as the file has not changed. */
export async function uploadFile(
  { atrium, url, dataDir }: Connection,
  path: string,
  folderId: string,
  progress: TransferProgress,
): Promise<FileRecord> {
  const handle = await open(path);
  try {
    const file = { ...(await stateOf(handle)), path, url, folderId };
    const remembered = new RememberedUploads(dataDir);
    const session = await remembered.find(file);
    const before = progress.done;
    progress.total += file.size;
    const record = await atrium.files.upload(sourceOf(handle, file), {
      filename: basename(path),
      folderId,
      ...(session !== undefined && { session }),
      onSession: (id) => remembered.keep(file, id),
      onProgress: ({ done }) => {
        progress.done = before + done;
      },
    });
    await remembered.forget(file);
    return record;
  } finally {
    await handle.close();
  }
}

function sourceOf(handle: FileHandle, file: UploadedFile): UploadSource {
  return {
    size: file.size,
    read: (start, end) => readWhole(handle, start, end),
    confirm: () => refuseChanged(handle, file),
  };
}

async function stateOf(handle: FileHandle): Promise<{ size: number; modifiedAt: number }> {
  const found = await handle.stat();
  if (!found.isFile()) throw new Error('Only files can be uploaded.');
  return { size: found.size, modifiedAt: found.mtimeMs };
}

async function readWhole(handle: FileHandle, start: number, end: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.alloc(end - start);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new FileChanged('The file has become shorter while it was uploaded.');
    done += bytesRead;
  }
  return bytes;
}

async function refuseChanged(handle: FileHandle, { size, modifiedAt }: UploadedFile): Promise<void> {
  const now = await stateOf(handle);
  if (now.size === size && now.modifiedAt === modifiedAt) return;
  throw new FileChanged('The file has changed while it was uploaded; upload it again.');
}
