import { Readable } from 'node:stream';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { ApiError } from './errors.ts';
import type { Validators } from './preconditions.ts';

/** JSON that is ready to send: a store may keep what does not change as text (docs/decisions/0034-summaries-as-json.md). */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON that is too long to be one text: it is sent in chunks, each when the one before has left. */
export class JsonStream {
  /** Bytes. */
  readonly size: number;
  /** What is read once, to its end or until it is destroyed. */
  readonly open: () => Promise<Readable>;
  /** Gives back what it holds; to be called when it has been read, or is not opened, or cannot be. */
  readonly discard: () => Promise<void>;

  constructor(parts: Pick<JsonStream, 'size' | 'open' | 'discard'>) {
    this.size = parts.size;
    this.open = parts.open;
    this.discard = parts.discard;
  }

  /** The same between two texts. */
  within(before: string, after: string): JsonStream {
    const [head, tail] = [Buffer.from(before), Buffer.from(after)];
    const open = async () => {
      const source = await this.open();
      const whole = Readable.from(joined(head, source, tail), { objectMode: false });
      // What was not begun with does not end by itself.
      return whole.once('close', () => source.destroy());
    };
    return new JsonStream({ size: head.length + this.size + tail.length, open, discard: this.discard });
  }
}

async function* joined(head: Buffer, source: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* source;
  yield tail;
}

/** What tells a row's place in its listing's order, as the keyset needs it. */
export type CursorPosition = readonly (string | number)[];

/** One page of a listing, as an operation answers it. */
export interface Page<T = unknown> {
  items: readonly T[] | JsonText;
  count: number;
  /** Whether it ends before its limit though more may follow: its items are long, or finding more would take long. */
  isCut?: boolean;
  /** The place of the last item, or where looking for more ended; undefined where there is neither. */
  last: CursorPosition | undefined;
}

/** The part of a listing that a request asks for. */
export interface PageRequest {
  limit: number;
  /** Only what comes after this place. */
  after: CursorPosition | undefined;
}

/** Rows in order, read up to the limit, as a page. */
export function pageOf<R, T>(
  rows: readonly R[],
  item: (row: R) => T,
  position: (row: R) => CursorPosition,
): Page<T> {
  const last = rows.at(-1);
  return { items: rows.map(item), count: rows.length, last: last && position(last) };
}

/** A JSON answer with the state that it shows, which a client may name instead of reading it again (RFC 9110, 8.8.3). */
export class Tagged {
  /** Without quotes. */
  readonly state: string;
  /** Absent where the client has named this very state. */
  readonly data: unknown;

  constructor(state: string, data: unknown) {
    this.state = state;
    this.data = data;
  }
}

async function nothingToDiscard(): Promise<void> {}

/** Bytes as an answer, opened after the transaction has ended: a reader that stalls holds nothing. */
export class Content {
  readonly mediaType: string;
  /** The name to save it under; shown inline when there is none. */
  readonly filename: string | undefined;
  /** Bytes, when known. */
  readonly size: number | undefined;
  /** With these and a size, a client may ask for a part, and whether anything has changed. */
  readonly validators: Validators | undefined;
  /** Whether nobody but its reader knows the chunks of the stream that is opened. */
  readonly ownChunks: boolean;
  /** All bytes, or a range of those of content that has validators. */
  readonly open: (range?: ByteRange) => Promise<Readable | Uint8Array>;
  /** Gives back what was made to be sent; to be called where it is not opened, or cannot be. */
  readonly discard: () => Promise<void>;

  constructor(content: {
    mediaType: string;
    filename?: string;
    size?: number;
    validators?: Validators;
    ownChunks?: boolean;
    open: (range?: ByteRange) => Promise<Readable | Uint8Array>;
    discard?: () => Promise<void>;
  }) {
    this.mediaType = content.mediaType;
    this.filename = content.filename;
    this.size = content.size;
    this.validators = content.validators;
    this.ownChunks = content.ownChunks ?? false;
    this.open = content.open;
    this.discard = content.discard ?? nothingToDiscard;
  }
}

/** `pagination` of a paged list. */
export interface Pagination {
  next_cursor: string;
  has_more: boolean;
  limit: number;
}

/** The body of a successful answer: data, meta and, on paged lists only, pagination. */
export function envelope(data: unknown, requestId: string, pagination?: Pagination): string {
  const text = data instanceof JsonText ? data.text : JSON.stringify(data);
  const tail = pagination ? `,"pagination":${JSON.stringify(pagination)}}` : '}';
  return `${DATA}${text},"meta":${meta(requestId)}${tail}`;
}

const DATA = '{"data":';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The same as content, of data that is sent in chunks. */
export function streamedEnvelope(data: JsonStream, requestId: string): Content {
  const { size, open, discard } = data.within(DATA, `,"meta":${meta(requestId)}}`);
  return new Content({
    mediaType: JSON_TYPE,
    size,
    open: async () => (await open()).once('close', () => void discard()),
    discard,
  });
}

/** The body of every refusal and failure. */
export function errorEnvelope(error: ApiError, requestId: string): string {
  const { code, message, details } = error;
  return `{"error":${JSON.stringify({ code, message, details })},"meta":${meta(requestId)}}`;
}

function meta(requestId: string): string {
  return `{"request_id":"${requestId}","timestamp":"${new Date().toISOString()}"}`;
}
