import { S3ServiceException } from '@aws-sdk/client-s3';
import { BlobsFull, BlobsUnavailable } from '../blob-store.ts';

/** Whether the object does not exist. Not true for a missing bucket: then the whole store is missing. */
export function isMissing(error: unknown): boolean {
  return hasErrorName(error, 'NoSuchKey', 'NotFound');
}

/** Whether the range begins beyond the end of the object. */
export function isBeyondEnd(error: unknown): boolean {
  return hasErrorName(error, 'InvalidRange');
}

/** Whether the multipart upload does not exist (any more). */
export function isUploadGone(error: unknown): boolean {
  return hasErrorName(error, 'NoSuchUpload');
}

function hasErrorName(error: unknown, ...names: string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** Not every store has an error code for a full store, but RFC 4918, 11.5 has a status (507); Ceph has only a code. */
function isFull(error: unknown): boolean {
  if (hasErrorName(error, 'QuotaExceeded')) return true;
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 507;
}

/**
 * Maps an error to BlobsUnavailable. Its cause has only name and message: an SDK error also contains the raw response,
 * which repeats the signed request (access key id, session token) after a refused signature and must not be logged.
 */
export function unavailable(error: unknown): BlobsUnavailable {
  const { name, message, code }: NodeJS.ErrnoException =
    error instanceof Error ? error : new Error(String(error));
  const status = error instanceof S3ServiceException ? ` ${error.$metadata.httpStatusCode}` : '';
  const options = { cause: Object.assign(new Error(message), { name }) };
  if (isFull(error)) return new BlobsFull(`The S3 store has no room: ${name}${status}`, options);
  return new BlobsUnavailable(`The S3 store did not serve: ${code ?? name}${status}`, options);
}

/** Awaits a request to the store; maps its errors to BlobsUnavailable. */
export async function onS3<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw unavailable(error);
  }
}
