import { S3ServiceException } from '@aws-sdk/client-s3';
import { BlobsFull, BlobsUnavailable } from '../blob-store.ts';

/** What the store says when it has no such object. A missing bucket is not that: the whole store is missing then. */
export function isMissing(error: unknown): boolean {
  return isAnswer(error, 'NoSuchKey', 'NotFound');
}

/** What the store says to a range that begins beyond the end. */
export function isBeyondEnd(error: unknown): boolean {
  return isAnswer(error, 'InvalidRange');
}

/** What the store says to a multipart upload that it does not have, or not any more. */
export function isUploadGone(error: unknown): boolean {
  return isAnswer(error, 'NoSuchUpload');
}

function isAnswer(error: unknown, ...names: string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** Not every store has a code for it, but RFC 4918, 11.5 has a status; Ceph says what it is by its code alone. */
function isFull(error: unknown): boolean {
  if (isAnswer(error, 'QuotaExceeded')) return true;
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 507;
}

/**
 * The cause keeps the name and the message only. An SDK error also carries the store's raw answer, and that
 * repeats the signed request (access key id, session token) when a signature is refused: not for a log.
 */
export function unavailable(error: unknown): BlobsUnavailable {
  const { name, message, code }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error));
  const status = error instanceof S3ServiceException ? ` ${error.$metadata.httpStatusCode}` : '';
  const options = { cause: Object.assign(new Error(message), { name }) };
  if (isFull(error)) return new BlobsFull(`The S3 store has no room: ${name}${status}`, options);
  return new BlobsUnavailable(`The S3 store did not serve: ${code ?? name}${status}`, options);
}

/** Passes the answer on; turns every failure of the store into BlobsUnavailable. */
export async function onS3<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw unavailable(error);
  }
}
