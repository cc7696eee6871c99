import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { MAX_MESSAGE_BYTES } from '../formats/messages/limits.ts';
import { splitMbox } from '../formats/messages/mbox.ts';

/** One message among files: where it is, and its bytes. */
export interface FoundMessage {
  kind: 'message';
  /** The path, and within a mailbox file the place. */
  source: string;
  content: AsyncIterable<Uint8Array>;
  /** The flags that a Maildir file name or a mailbox may state; read from the message where it is in a mailbox file. */
  flagsFrom: { maildir: string } | 'status headers' | undefined;
}

/** Something that is no message, and why. */
export interface SkippedFile {
  kind: 'skipped';
  source: string;
  reason: string;
}

/** How far the reading has come. */
export interface ReadProgress {
  bytes: number;
}

/**
 * Every message in the files and directories, in the order of their names: single messages (.eml, Maildir) and mailbox
 * files (mbox). What cannot be one is told, never thrown.
 */
export async function* findMessages(
  paths: readonly string[],
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedFile> {
  for (const path of paths) {
    const info = await stat(path).catch((error: Error) => error);
    if (info instanceof Error) yield { kind: 'skipped', source: path, reason: info.message };
    else if (info.isDirectory()) yield* findInDirectory(path, progress);
    else yield* findInFile(path, info.size, progress);
  }
}

async function* findInDirectory(
  directory: string,
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedFile> {
  const names = await readdir(directory).catch((error: Error) => error);
  if (names instanceof Error) yield { kind: 'skipped', source: directory, reason: names.message };
  else
    yield* findMessages(
      names.sort().map((name) => join(directory, name)),
      progress,
    );
}

async function* findInFile(
  path: string,
  size: number,
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedFile> {
  const kind = await kindOf(path).catch((error: Error) => error);
  if (kind instanceof Error) yield { kind: 'skipped', source: path, reason: kind.message };
  else if (kind === 'mbox') yield* findInMbox(path, progress);
  else if (kind === 'message' && size > MAX_MESSAGE_BYTES)
    yield { kind: 'skipped', source: path, reason: TOO_LARGE };
  else if (kind === 'message') {
    progress.bytes += size;
    yield { kind, source: path, content: createReadStream(path), flagsFrom: maildirFlags(path) };
  } else yield { kind: 'skipped', source: path, reason: kind };
}

const TOO_LARGE = `larger than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`;
const SNIFFED_BYTES = 1024;
/** RFC 5322, 2.2: a field name is printable ASCII without a colon. */
const HEADER_LINE = /^[!-9;-~]+[ \t]*:/;

/** What a file is: by its name where that says so, else by its first line. */
async function kindOf(
  path: string,
): Promise<'message' | 'mbox' | 'empty' | 'neither a message nor a mailbox file'> {
  const start = await firstBytes(path);
  if (start.length === 0) return 'empty';
  if (extname(path).toLowerCase() === '.eml') return 'message';
  if (/^(\ufeff)?From /.test(start) || extname(path).toLowerCase() === '.mbox') return 'mbox';
  return HEADER_LINE.test(start) ? 'message' : 'neither a message nor a mailbox file';
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(SNIFFED_BYTES) });
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await file.close();
  }
}

/** A Maildir file name ends in ":2," and a letter a flag. */
function maildirFlags(path: string): { maildir: string } | undefined {
  const letters = /:2,([A-Za-z]*)$/.exec(path)?.[1];
  return letters === undefined ? undefined : { maildir: letters };
}

async function* findInMbox(path: string, progress: ReadProgress): AsyncGenerator<FoundMessage | SkippedFile> {
  try {
    for await (const entry of splitMbox(counted(createReadStream(path), progress))) {
      const source = `${path} at byte ${entry.offset}`;
      if (entry.kind === 'skipped') {
        yield { kind: 'skipped', source, reason: `${entry.reason} (${entry.size} bytes)` };
      } else {
        yield { kind: 'message', source, content: once(entry.raw), flagsFrom: 'status headers' };
      }
    }
  } catch (error) {
    yield { kind: 'skipped', source: path, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  progress: ReadProgress,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    progress.bytes += chunk.length;
    yield chunk;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
