import { closeSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { type FlagsAndLabels, readNotes } from '../../areas/mail/service.ts';
import { parseDate } from '../../formats/messages/dates.ts';
import { type MboxEntry, splitMbox } from '../../formats/messages/mbox.ts';
import { MAX_MESSAGE_BYTES } from '../../formats/messages/message.ts';
import { filesIn, reasonOf, type SkippedSource, skipped, tried } from './named-files.ts';

/** A message in a file: its location and its bytes. */
export interface FoundMessage {
  kind: 'message';
  /** The path and, in a mailbox file, the position of the message. */
  source: string;
  /** Rejects with UnreadableSource. */
  content: AsyncIterable<Uint8Array>;
  /**
   * The source of flags and labels: a Maildir file name, the notes of an export in a mailbox file, or, for a mailbox
   * file of another program, the status headers of the message.
   */
  flagsFrom: { maildir: string } | { noted: FlagsAndLabels } | 'status headers' | undefined;
  /** Milliseconds since the epoch: the time of delivery, if the mailbox or the file states it. */
  deliveredAt: number | null;
}

/** The progress of reading. */
export interface ReadProgress {
  bytes: number;
}

/** A message that cannot be read completely; the error's message states the reason. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

/**
 * Every message in the files and directories, in the order of their names: single messages (.eml, Maildir) and
 * mailbox files (mbox), each with the named path that it comes from. Anything else is reported, not thrown. Files are
 * read synchronously: asynchronous reads in the thread pool take ten times as long as the reading itself.
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

/** An open file and its first bytes. */
interface OpenFile {
  descriptor: number;
  start: Uint8Array;
}

const READ_AT_ONCE = 64 * 1024;
const TOO_LARGE = `larger than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`;

/** The messages of one file of any kind; `modifiedAt` is its modification time, in milliseconds. */
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

/** All bytes of the file, which is closed at its end. */
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
/** Other text contains colons too: the first header section must have a field that mail programs write. */
const MAIL_HEADER =
  /^\ufeff?(?:return-path|received|delivered-to|from|sender|to|cc|date|subject|message-id|mime-version|content-type|dkim-signature|authentication-results|(?:x|arc)-[!-9;-~]+)[ \t]*:/im;
/** A Maildir file name ends in ":2," and one letter per flag. */
const MAILDIR_NAME = /:2,([A-Za-z]*)$/;

/** The kind of a file: by its name where the name is decisive, else by its first lines. */
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

/** IMAP servers and Pine store their notes in a message at the start of a mailbox file. */
function isBookkeeping(raw: Uint8Array): boolean {
  const head = Buffer.from(raw.subarray(0, SNIFFED_BYTES)).toString('latin1');
  return /^X-IMAP(base)?:/im.test(head) && head.includes("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA");
}
