import { contentDigest } from './content-digest.ts';
import { AtriumError } from './errors.ts';
import type { FileRecord, Files, UploadStatus } from './generated/files.ts';

/** Content that is read piece by piece. */
export interface UploadSource {
  /** In bytes. */
  readonly size: number;
  /** The bytes from `start` up to `end`, all of them. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Called when everything was read, before the file is there; rejects where what was read is not one whole. */
  confirm?(): Promise<void>;
}

/** Bytes that the server has, of all. */
export interface UploadProgress {
  done: number;
  total: number;
}

export interface UploadOptions {
  /** Needed unless the source is a File, which has a name. */
  filename?: string;
  /** The file folder that it goes to; default: the root. */
  folderId?: string;
  /** An earlier upload of the same content, to go on with where it stopped; one that has ended is started anew. */
  session?: string;
  /** Told the upload that was started, so that a later run can go on with it; parts are sent when it is done. */
  onSession?: (session: string) => void | Promise<void>;
  /** Told after every part. */
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
}

/** Parts on their way at once; each is held in memory. */
const PARTS_AT_ONCE = 4;

/** Uploads through an upload session; answers the file. */
export async function uploadFile(
  files: Files,
  content: Blob | Uint8Array<ArrayBuffer> | UploadSource,
  options: UploadOptions,
): Promise<FileRecord> {
  const source = sourceOf(content);
  const filename = options.filename ?? nameOf(content);
  const signal = options.signal && { signal: options.signal };
  const upload = await begin(files, source, { ...options, filename });
  if (upload.state === 'finished') return files.getFile(upload.document_id, signal);
  await sendParts(files, source, upload, options);
  await source.confirm?.();
  return files.completeUpload(upload.session_id, signal);
}

function sourceOf(content: Blob | Uint8Array<ArrayBuffer> | UploadSource): UploadSource {
  if (!(content instanceof Uint8Array) && !(content instanceof Blob)) return content;
  const blob = content instanceof Blob ? content : new Blob([content]);
  return {
    size: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}

function nameOf(content: object): string {
  if ('name' in content && typeof content.name === 'string') return content.name;
  throw new TypeError('The upload needs a filename.');
}

async function begin(
  files: Files,
  { size }: UploadSource,
  { filename, folderId, session, onSession, signal }: UploadOptions & { filename: string },
): Promise<UploadStatus> {
  const options = signal && { signal };
  const earlier = session === undefined ? undefined : await earlierUpload(files, session, size, options);
  if (earlier) return earlier;
  const body = { filename, size, ...(folderId && { folder_id: folderId }) };
  const { session_id: id } = await files.startUpload(body, options);
  await onSession?.(id);
  return files.getUpload(id, options);
}

/** An upload that takes parts or has made its file; undefined where it has ended otherwise, or is somebody else's. */
async function earlierUpload(
  files: Files,
  session: string,
  size: number,
  options: { signal: AbortSignal } | undefined,
): Promise<UploadStatus | undefined> {
  const upload = await files.getUpload(session, options).catch((error: unknown) => {
    if (error instanceof AtriumError && error.status === 404) return undefined;
    throw error;
  });
  const isOf = upload?.total_size === size && (upload.state === 'open' || upload.state === 'finished');
  return isOf ? upload : undefined;
}

async function sendParts(
  files: Files,
  source: UploadSource,
  upload: UploadStatus,
  { onProgress, signal }: UploadOptions,
): Promise<void> {
  const numbers = missingNumbers(upload);
  const progress = { done: source.size - missingBytes(upload), total: source.size };
  // The first part that fails ends the others.
  const failure = new AbortController();
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const sendNext = async () => {
    for (const number of numbers) {
      either.throwIfAborted();
      const sent = await sendPart(files, source, upload, number, either);
      progress.done += sent;
      onProgress?.({ ...progress });
    }
  };
  onProgress?.({ ...progress });
  const senders = Array.from({ length: PARTS_AT_ONCE }, () => sendNext());
  await Promise.all(senders).catch(async (error: unknown) => {
    failure.abort();
    await Promise.allSettled(senders);
    throw error;
  });
}

async function sendPart(
  files: Files,
  source: UploadSource,
  upload: UploadStatus,
  number: number,
  signal: AbortSignal,
): Promise<number> {
  const start = (number - 1) * upload.part_size;
  const bytes = await source.read(start, start + sizeOf(upload, number));
  const digest = await contentDigest(bytes);
  const options = { signal, ...(digest !== undefined && { contentDigest: digest }) };
  await files.uploadPart(upload.session_id, String(number), bytes, options);
  return bytes.length;
}

function* missingNumbers({ missing_parts: missing }: UploadStatus): Generator<number, void> {
  for (const [first = 1, last = 0] of missing)
    for (let number = first; number <= last; number++) yield number;
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
