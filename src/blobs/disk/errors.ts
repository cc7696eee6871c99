import { BlobsFull, BlobsUnavailable } from '../blob-store.ts';

/** Passes the answer on; turns every failure of the disk into BlobsUnavailable. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
}

/** The failure of the disk as the port tells it. */
export function unavailable(error: unknown): BlobsUnavailable {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BlobsFull('The disk is full', { cause: error });
  return new BlobsUnavailable('The disk did not serve', { cause: error });
}

/** Whether it is the file that was not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
