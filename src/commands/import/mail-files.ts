import { closeSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { type FlagsAndLabels, readNotes } from '../../areas/mail/service.ts';
import { parseDate } from '../../formats/messages/dates.ts';
import { type MboxEntry, splitMbox } from '../../formats/messages/mbox.ts';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/message.ts';
import { filesIn, reasonOf, type SkippedSource, skipped, tried } from './named-files.ts';

/** One message among files: where it is, and its bytes. */
export interface FoundMessage {
  kind: 'message';
  /** The path, and within a mailbox file the place. */
  source: string;
  /** Rejects with UnreadableSource. */
  content: AsyncIterable<Uint8Array>;
  /**
   * What a Maildir file name, or an export in a mailbox file, states; flags may be read from the message itself where
   * it is in a mailbox file of another program.
   */
  flagsFrom: { maildir: string } | { noted: FlagsAndLabels } | 'status headers' | undefined;
  /** Milliseconds since the epoch: when it was put where it is, as far as the mailbox or the file tells. */
  deliveredAt: number | null;
}

/** How far the reading has come. */
export interface ReadProgress {
  bytes: number;
}

/** A message cannot be read to its end; the message of the error says why. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

/**
 * Every message in the files and directories, in the order of their names: single messages (.eml, Maildir) and mailbox
 * files (mbox), with what was named that they come from. What cannot be one is told, never thrown. Files are read synchronously: the way through the thread pool
 * takes ten times as long as the reading itself.
 */
export async function* findMessages(
  paths: readonly string[],
  progress: ReadProgress,
): AsyncGenerator<(FoundMessage | SkippedSource) & { named: string }> {
  for (const found of filesIn(paths)) {
    if (found.kind === 'skipped') yield found;
    else
      for await (const message of findInFile(found.path, found.modifiedAt, progress))
        yield { ...message, named: found.named };
  }
}

/** A file that is open, and the bytes that it starts with. */
interface OpenFile {
  descriptor: number;
  start: Uint8Array;
}

const READ_AT_ONCE = 64 * 1024;
const TOO_LARGE = `larger than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`;

/** The messages of one file, whatever it is; `modifiedAt` is its time of change, in milliseconds. */
async function* findInFile(
  path: Buffer,
  modifiedAt: number,
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedSource> {
  const file = tried(() => openFile(path));
  if (file instanceof Error) return yield skipped(path, file);
  const source = path.toString();
  const kind = kindOf(source, file.start);
  if (kind === 'mbox') yield* findInMbox(source, bytesOf(file, progress));
  else if (kind === 'message') {
    const content = limited(bytesOf(file, progress));
    yield { kind, source, content, flagsFrom: maildirFlags(source), deliveredAt: modifiedAt };
  } else {
    closeSync(file.descriptor);
    yield skipped(path, kind);
  }
}

function openFile(path: Buffer): OpenFile {
  const descriptor = openSync(path, 'r');
  try {
    return { descriptor, start: readSome(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function readSome(descriptor: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(READ_AT_ONCE);
  return buffer.subarray(0, readSync(descriptor, buffer));
}

/** The whole file, which is closed at its end. */
async function* bytesOf({ descriptor, start }: OpenFile, progress: ReadProgress): AsyncGenerator<Uint8Array> {
  try {
    for (let bytes = start; bytes.length > 0; bytes = readSome(descriptor)) {
      progress.bytes += bytes.length;
      yield bytes;
    }
  } catch (error) {
    throw new UnreadableSource(reasonOf(error as Error), { cause: error });
  } finally {
    closeSync(descriptor);
  }
}

async function* limited(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > MAX_MESSAGE_BYTES) throw new UnreadableSource(TOO_LARGE);
    yield bytes;
  }
}

const SNIFFED_BYTES = 1024;
/** RFC 5322, 2.2: a field name is printable ASCII without a colon. */
const HEADER_LINE = /^\ufeff?[!-9;-~]+[ \t]*:/;
/** Other text has colons too: one of the first fields has to be what mail programs write. */
const MAIL_HEADER =
  /^\ufeff?(?:return-path|received|delivered-to|from|sender|to|cc|date|subject|message-id|mime-version|content-type|dkim-signature|authentication-results|(?:x|arc)-[!-9;-~]+)[ \t]*:/im;
/** A Maildir file name ends in ":2," and a letter a flag. */
const MAILDIR_NAME = /:2,([A-Za-z]*)$/;

/** What a file is: by its name where that says so, else by its first line. */
function kindOf(
  path: string,
  start: Uint8Array,
): 'message' | 'mbox' | 'empty' | 'neither a message nor a mailbox file' {
  if (start.length === 0) return 'empty';
  const text = Buffer.from(start.subarray(0, SNIFFED_BYTES)).toString();
  if (extname(path).toLowerCase() === '.eml' || MAILDIR_NAME.test(path)) return 'message';
  if (/^\ufeff?From /.test(text) || extname(path).toLowerCase() === '.mbox') return 'mbox';
  const [head = ''] = text.split(/\r?\n\r?\n|\r\r/, 1);
  const isMessage = HEADER_LINE.test(head) && MAIL_HEADER.test(head);
  return isMessage ? 'message' : 'neither a message nor a mailbox file';
}

function maildirFlags(path: string): { maildir: string } | undefined {
  const letters = MAILDIR_NAME.exec(path)?.[1];
  return letters === undefined ? undefined : { maildir: letters };
}

async function* findInMbox(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<FoundMessage | SkippedSource> {
  try {
    for await (const entry of splitMbox(bytes)) yield foundInMbox(`${path} at byte ${entry.offset}`, entry);
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    yield { kind: 'skipped', source: path, reason: error.message };
  }
}

function foundInMbox(source: string, entry: MboxEntry): FoundMessage | SkippedSource {
  if (entry.kind === 'skipped') {
    const reason = entry.reason === 'too large' ? TOO_LARGE : `${entry.size} bytes before the first message`;
    return { kind: 'skipped', source, reason };
  }
  const { raw, fromLine } = entry;
  const noted = readNotes(raw);
  if (noted) {
    const flagsFrom = { noted };
    return {
      kind: 'message',
      source,
      content: Readable.from([noted.raw]),
      flagsFrom,
      deliveredAt: noted.date,
    };
  }
  if (isBookkeeping(raw)) {
    return { kind: 'skipped', source, reason: 'what a mail program notes of the mailbox, not a message' };
  }
  const content = Readable.from([raw]);
  return { kind: 'message', source, content, flagsFrom: 'status headers', deliveredAt: parseDate(fromLine) };
}

/** IMAP servers and Pine keep their notes in a message at the start of a mailbox file. */
function isBookkeeping(raw: Uint8Array): boolean {
  const head = Buffer.from(raw.subarray(0, SNIFFED_BYTES)).toString('latin1');
  return /^X-IMAP(base)?:/im.test(head) && head.includes("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA");
}
