import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** A pipe that nobody writes into must not hold the opening up: O_NONBLOCK changes nothing about a regular file. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The bytes of a file of a backup. Others may have made the backup: a link would lead out of it, and a device or a pipe
 * may never end. Rejects where it is no regular file, or cannot be read.
 */
export async function* bytesOfPlainFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, FLAGS);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no regular file.`);
    yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>;
  } finally {
    await file.close();
  }
}

/** Rejects where a directory of a backup is a link, which may lead to files that are not the backup's, or is not there. */
export async function requirePlainDirectory(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is no directory.`);
}
