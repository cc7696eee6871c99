import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ApiClient, RefusedRequest } from './api-client.ts';
import type { Connection } from './connection.ts';
import { RememberedUploads, type UploadedFile } from './remembered-uploads.ts';

/** A file of the interface, as far as it is told. */
export interface FileRecord {
  id: string;
  filename: string;
  size_bytes: number;
}

interface UploadStatus {
  session_id: string;
  state: string;
  part_size: number;
  total_size: number;
  missing_parts: [first: number, last: number][];
}

/** Bytes that have come to the server, of all. */
export interface TransferProgress {
  done: number;
  total: number;
}

/** Parts on their way at once; each is held in memory. */
const PARTS_AT_ONCE = 4;

/** The file is not any more what its first parts were sent from. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** Uploads a file; goes on where an earlier run has stopped, as long as the file has not changed. */
export async function uploadFile(
  connection: Connection,
  path: string,
  folderId: string,
  progress: TransferProgress,
): Promise<FileRecord> {
  const source = await open(path);
  try {
    const file = { path, url: connection.url, folderId, ...(await stateOf(source)) };
    const remembered = new RememberedUploads(connection.dataDir);
    const upload = await begin(connection.client, remembered, file);
    progress.total += file.size;
    progress.done += file.size - missingBytes(upload);
    await sendMissing(connection.client, source, upload, progress);
    await refuseChanged(source, file);
    const record = await complete(connection.client, upload);
    await remembered.forget(file);
    return record;
  } finally {
    await source.close();
  }
}

async function stateOf(source: FileHandle): Promise<{ size: number; modifiedAt: number }> {
  const found = await source.stat();
  if (!found.isFile()) throw new Error('Only files can be uploaded.');
  return { size: found.size, modifiedAt: found.mtimeMs };
}

async function begin(
  client: ApiClient,
  remembered: RememberedUploads,
  file: UploadedFile,
): Promise<UploadStatus> {
  const earlier = await remembered.find(file);
  const found = earlier === undefined ? undefined : await openUpload(client, earlier);
  if (found) return found;
  const body = {
    filename: basename(file.path),
    size: file.size,
    ...(file.folderId && { folder_id: file.folderId }),
  };
  const path = '/v1/files/uploads';
  const { session_id: id } = await client.data<UploadStatus>({
    method: 'POST',
    path,
    body,
    idempotencyKey: randomUUID(),
  });
  await remembered.keep(file, id);
  return client.data({ path: `${path}/${id}` });
}

/** An upload that still takes parts; undefined where it has ended, or is somebody else's. */
async function openUpload(client: ApiClient, id: string): Promise<UploadStatus | undefined> {
  try {
    const upload = await client.data<UploadStatus>({ path: `/v1/files/uploads/${id}` });
    return upload.state === 'open' ? upload : undefined;
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) return undefined;
    throw error;
  }
}

async function sendMissing(
  client: ApiClient,
  source: FileHandle,
  upload: UploadStatus,
  progress: TransferProgress,
): Promise<void> {
  const numbers = missingNumbers(upload);
  const sendNext = async () => {
    for (let next = numbers.next(); !next.done; next = numbers.next()) {
      progress.done += await sendPart(client, source, upload, next.value);
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, sendNext));
}

function* missingNumbers({ missing_parts: missing }: UploadStatus): Generator<number, void> {
  for (const [first, last] of missing) for (let number = first; number <= last; number++) yield number;
}

/** Bytes of a part: all have the same size but the last. */
function sizeOf({ part_size: size, total_size: total }: UploadStatus, number: number): number {
  return Math.min(size, total - (number - 1) * size);
}

function missingBytes(upload: UploadStatus): number {
  let bytes = 0;
  for (const number of missingNumbers(upload)) bytes += sizeOf(upload, number);
  return bytes;
}

async function sendPart(
  client: ApiClient,
  source: FileHandle,
  upload: UploadStatus,
  number: number,
): Promise<number> {
  const bytes = await readPart(source, upload, number);
  const digest = createHash('sha256').update(bytes).digest('base64');
  await client.send({
    method: 'PUT',
    path: `/v1/files/uploads/${upload.session_id}/parts/${number}`,
    idempotencyKey: `${upload.session_id}-${number}-${digest}`,
    headers: { 'content-digest': `sha-256=:${digest}:` },
    body: bytes,
  });
  return bytes.length;
}

async function readPart(
  source: FileHandle,
  upload: UploadStatus,
  number: number,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.alloc(sizeOf(upload, number));
  const start = (number - 1) * upload.part_size;
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await source.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new FileChanged('The file has become shorter while it was uploaded.');
    done += bytesRead;
  }
  return bytes;
}

async function refuseChanged(source: FileHandle, { size, modifiedAt }: UploadedFile): Promise<void> {
  const now = await stateOf(source);
  if (now.size === size && now.modifiedAt === modifiedAt) return;
  throw new FileChanged('The file has changed while it was uploaded; upload it again.');
}

function complete(client: ApiClient, { session_id: id }: UploadStatus): Promise<FileRecord> {
  return client.data({
    method: 'POST',
    path: `/v1/files/uploads/${id}/complete`,
    idempotencyKey: `${id}-complete`,
  });
}
