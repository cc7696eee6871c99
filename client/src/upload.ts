import { contentDigest } from './content-digest.ts';
import { AtriumError } from './errors.ts';
import type { FileRecord, Files, UploadStatus } from './generated/files.ts';

/** Content that is read in chunks. */
export interface UploadSource {
  /** In bytes. */
  readonly size: number;
  /** All bytes from `start` to `end`. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Called after everything was read, before the file is created; rejects when the content changed during reading. */
  confirm?(): Promise<void>;
}

/** The bytes stored by the server, and the total. */
export interface UploadProgress {
  done: number;
  total: number;
}

export interface UploadOptions {
  /** Required, unless the source is a File, which has a name. */
  filename?: string;
  /** The target folder; default: the root. */
  folderId?: string;
  /** An earlier upload of the same content to resume; an upload that has ended is started again. */
  session?: string;
  /** Called with the id of a new upload, so that a later run can resume it; parts are sent after it resolves. */
  onSession?: (session: string) => void | Promise<void>;
  /** Called after every part. */
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
}

/** Concurrent parts; each is held in memory. */
const PARTS_AT_ONCE = 4;

/** Uploads through an upload session; returns the file. */
export async function uploadFile(
  files: Files,
  content: Blob | Uint8Array<ArrayBuffer> | UploadSource,
  options: UploadOptions,
): Promise<FileRecord> {
  const source = sourceOf(content);
  const filename = options.filename ?? nameOf(content);
  const signal = options.signal && { signal: options.signal };
  const upload = await begin(files, source, { ...options, filename });
  if (upload.state === 'finished') return files.getFile(upload.document_id, {}, signal);
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

/**
 * An upload that accepts parts or has created its file; undefined when it has ended otherwise or belongs to
 * another user.
 */
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
  // The first failed part aborts the others.
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

/** The size of a part: all parts have the same size except the last. */
function sizeOf({ part_size: size, total_size: total }: UploadStatus, number: number): number {
  return Math.min(size, total - (number - 1) * size);
}

function missingBytes(upload: UploadStatus): number {
  let bytes = 0;
  for (const number of missingNumbers(upload)) bytes += sizeOf(upload, number);
  return bytes;
}
