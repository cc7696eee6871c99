import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { wantsJson } from '../output.ts';

/** The one document of --json goes where an export without a file would go. Throws InvalidArgumentError. */
export function refuseMixedOutput(output: string | undefined, command: Command): void {
  if (output !== undefined || !wantsJson(command)) return;
  throw new InvalidArgumentError('With --json, name the file that the export goes to with --output.');
}

/** Writes an export to a file, or to standard output where none is named. */
export async function writeOutput(
  chunks: AsyncIterable<string | Uint8Array>,
  output: string | undefined,
): Promise<void> {
  if (output !== undefined) return writeFileFrom(chunks, output);
  await pipeline(chunks, process.stdout, { end: false });
}

/** Writes a file that its owner alone may read. With the flag "wx" it must be new. */
export function writeFileFrom(
  source: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>,
  path: string,
  flags: 'w' | 'wx' = 'w',
): Promise<void> {
  return namingFile(path, pipeline(source, createWriteStream(path, { flags, mode: 0o600 })));
}

/** Rejects as `writing` does. The system names no file that is open: this does, where it is refused, as by a full disk. */
export async function namingFile<T>(path: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    const { syscall, path: named } = error as NodeJS.ErrnoException;
    throw syscall === 'write' && named === undefined ? Object.assign(error as Error, { path }) : error;
  }
}
