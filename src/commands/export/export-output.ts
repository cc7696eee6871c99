import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { wantsJson } from '../output.ts';

/**
 * Refuses --json without a file: the JSON document and the export would both go to standard output. Throws
 * InvalidArgumentError.
 */
export function refuseMixedOutput(output: string | undefined, command: Command): void {
  if (output !== undefined || !wantsJson(command)) return;
  throw new InvalidArgumentError('With --json, name the file that the export goes to with --output.');
}

/** Writes an export to a file, or to standard output where no file is named. */
export async function writeOutput(
  chunks: AsyncIterable<string | Uint8Array>,
  output: string | undefined,
): Promise<void> {
  if (output !== undefined) return writeFileFrom(chunks, output);
  await pipeline(chunks, process.stdout, { end: false });
}

/** Writes a file that only its owner may read. With the flag "wx", the file must not exist. */
export function writeFileFrom(
  source: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>,
  path: string,
  flags: 'w' | 'wx' = 'w',
): Promise<void> {
  return namingFile(path, pipeline(source, createWriteStream(path, { flags, mode: 0o600 })));
}

/**
 * Rejects as `writing` does. An error of writing to an open file, such as for a full disk, has no path; this function
 * adds it.
 */
export async function namingFile<T>(path: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    const { syscall, path: named } = error as NodeJS.ErrnoException;
    throw syscall === 'write' && named === undefined ? Object.assign(error as Error, { path }) : error;
  }
}
