import { addAbortSignal, type Readable } from 'node:stream';
import { FairGate } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';
import { giveWay } from '../../turns/next-turn.ts';
import { Thread } from '../../turns/thread.ts';
import { type Extraction, type ExtractionRequest, extract } from './extract.ts';
import type { PackedTexts, TextLimits } from './extracted-texts.ts';
import { type Kind, kindOf } from './kinds.ts';

const MIB = 1024 * 1024;

/** Most bytes of a file that is read. */
export const MAX_EXTRACTED_SIZE = 20 * MIB;

/** Most characters of a file: as many as a plain text of the largest size may have. */
export const MAX_CHARACTERS = MAX_EXTRACTED_SIZE;

/** Most separate texts of a file, such as cells. */
export const MAX_TEXTS = 500_000;

/** Most processor time for one file. */
export const PROCESSOR_MS = 20_000;

const LIMITS: TextLimits = { characters: MAX_CHARACTERS, texts: MAX_TEXTS, processorMs: PROCESSOR_MS };

/** The thread ends after this time, for what never comes to a check of its processor time. */
const TIMEOUT_MS = 60_000;

const HEAP_MEGABYTES = 256;

/** Smaller texts are read at once: to start a thread takes longer. */
const READ_AT_ONCE = 64 * 1024;

/** Files in memory at the same time, and for each user. */
const files = new FairGate({ all: 3, each: 1 }, UNBOUNDED);

const thread = new Thread<ExtractionRequest, Extraction>({
  module: new URL('./text-extraction-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
  waiting: UNBOUNDED,
});

/**
 * The texts of a file for search, in order. Pages and paragraphs are lines of one text; cells, slides, headers and
 * notes are texts of their own, because no sentence goes on from one to the next. `cut` says why later texts are
 * missing.
 */
export interface FileTexts {
  readonly texts: string[];
  readonly cut?: string;
}

/** Why a file has no text that can be read. A temporary failure concerns the storage and not the file. */
export interface UnreadableFile {
  readonly unreadable: string;
  readonly isTemporary?: true;
}

/**
 * The text of a file's content, for search; undefined where the type has no text. `content` is opened only when it is
 * the file's turn, and always closed. Never rejects: for content that cannot be read there is a reason for a log, which
 * holds nothing of the content. `signal` ends waiting and reading.
 */
export async function extractText(
  content: () => Promise<Readable> | Readable,
  mimeType: string,
  size: number,
  signal?: AbortSignal,
): Promise<FileTexts | UnreadableFile | undefined> {
  const kind = kindOf(mimeType);
  return kind && textsOfKind(content, kind, size, signal);
}

/**
 * The text of a content that is written as text, for readers that may write it back: of UTF-8 to the byte, of other encodings
 * without the byte-order mark. In all else like extractText, for the type is known to have text.
 */
export async function extractWrittenText(
  content: () => Promise<Readable> | Readable,
  size: number,
): Promise<FileTexts | UnreadableFile> {
  return textsOfKind(content, 'written', size, undefined);
}

async function textsOfKind(
  content: () => Promise<Readable> | Readable,
  kind: Kind,
  size: number,
  signal: AbortSignal | undefined,
): Promise<FileTexts | UnreadableFile> {
  if (size > MAX_EXTRACTED_SIZE) return TOO_LARGE;
  const stopped = Promise.withResolvers<UnreadableFile>();
  const stop = () => stopped.resolve({ unreadable: 'reading it was stopped', isTemporary: true });
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await Promise.race([stopped.promise, textsInTurn(content, kind, signal)]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

const TOO_LARGE: UnreadableFile = { unreadable: 'larger than 20 MiB' };

async function textsInTurn(
  content: () => Promise<Readable> | Readable,
  kind: Kind,
  signal: AbortSignal | undefined,
): Promise<FileTexts | UnreadableFile> {
  const leave = await files.enter();
  try {
    signal?.throwIfAborted();
    const bytes = await readContent(content, signal);
    return bytes === undefined ? TOO_LARGE : await textsOf(kind, bytes, signal);
  } catch (cause) {
    return { unreadable: `its content could not be read (${messageOf(cause)})`, isTemporary: true };
  } finally {
    leave();
  }
}

/** The bytes of a content; undefined when there are too many, whatever its size was said to be. */
async function readContent(
  content: () => Promise<Readable> | Readable,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = await content();
  if (signal) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_EXTRACTED_SIZE) return undefined;
    }
  } finally {
    stream.destroy();
  }
  return new Uint8Array(Buffer.concat(chunks));
}

async function textsOf(
  kind: Kind,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<FileTexts | UnreadableFile> {
  const isSmall = bytes.length <= READ_AT_ONCE && kind !== 'pdf' && kind !== 'office';
  let extraction: Extraction;
  try {
    extraction = isSmall
      ? await extract(kind, bytes, LIMITS)
      : await thread.ask({ kind, bytes, limits: LIMITS }, bytes.length, signal);
  } catch (cause) {
    return { unreadable: `reading it ended early (${messageOf(cause)})` };
  }
  if ('unreadable' in extraction) return extraction;
  const { packed, cut } = extraction;
  const texts = await unpack(packed);
  return cut === undefined ? { texts } : { texts, cut };
}

/** Texts unpacked between two looks at the time. */
const UNPACKED_AT_ONCE = 500;

async function unpack({ all, ends }: PackedTexts): Promise<string[]> {
  const texts: string[] = [];
  let start = 0;
  for (const [index, end] of ends.entries()) {
    texts.push(all.slice(start, end));
    start = end;
    if (index % UNPACKED_AT_ONCE === 0) await giveWay();
  }
  return texts;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
