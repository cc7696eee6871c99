import { Readable } from 'node:stream';
import type { ByteRange } from '../blobs/blob-store.ts';
import type { ApiError } from './errors.ts';
import type { Validators } from './preconditions.ts';

/**
 * JSON text that is ready to send: a store may keep immutable data as JSON text
 * (docs/decisions/0034-summaries-as-json.md).
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON that is too long for one string: it is sent in chunks, with backpressure. */
export class JsonStream {
  /** Bytes. */
  readonly size: number;
  /** Opens the stream, which can be read once: to its end or until it is destroyed. */
  readonly open: () => Promise<Readable>;
  /** Releases its resources; to be called after reading, or when the stream is not opened or cannot be opened. */
  readonly discard: () => Promise<void>;

  constructor(content: Pick<JsonStream, 'size' | 'open' | 'discard'>) {
    this.size = content.size;
    this.open = content.open;
    this.discard = content.discard;
  }

  /** The same JSON between a prefix and a suffix. */
  within(before: string, after: string): JsonStream {
    const [head, tail] = [Buffer.from(before), Buffer.from(after)];
    const open = async () => {
      const source = await this.open();
      const whole = Readable.from(joined(head, source, tail), { objectMode: false });
      // Destroying a generator that has not started does not destroy its source.
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

/** The sort key of a row in the order of its listing, as keyset pagination needs it. */
export type CursorPosition = readonly (string | number)[];

/** One page of a listing, as an operation returns it. */
export interface Page<T = unknown> {
  items: readonly T[] | JsonText;
  count: number;
  /**
   * Whether the page ends before its limit although more may follow: its items are long, or finding more would take
   * long.
   */
  isCut?: boolean;
  /**
   * The position of the last item, or the position where the search for more ended; undefined where there is neither.
   */
  last: CursorPosition | undefined;
}

/** The page of a listing that a request asks for. */
export interface PageRequest {
  limit: number;
  /** Only items after this position. */
  after: CursorPosition | undefined;
}

/** Turns rows in order, read up to the limit, into a page. */
export function pageOf<R, T>(
  rows: readonly R[],
  item: (row: R) => T,
  position: (row: R) => CursorPosition,
): Page<T> {
  const last = rows.at(-1);
  return { items: rows.map(item), count: rows.length, last: last && position(last) };
}

/**
 * A JSON answer with its state as an entity tag, which a client can send back to avoid a second download (RFC 9110,
 * 8.8.3).
 */
export class Tagged {
  /** Without quotes. */
  readonly state: string;
  /** Absent where the client has sent this state. */
  readonly data: unknown;

  constructor(state: string, data: unknown) {
    this.state = state;
    this.data = data;
  }
}

async function nothingToDiscard(): Promise<void> {}

/** Bytes as an answer. They are opened after the transaction has ended: a stalled reader holds no transaction. */
export class Content {
  readonly mediaType: string;
  /** The file name for saving; without one, the client shows the content inline. */
  readonly filename: string | undefined;
  /** Bytes, when known. */
  readonly size: number | undefined;
  /** With validators and a size, a client may send ranges and preconditions. */
  readonly validators: Validators | undefined;
  /** The policy of a page that a browser shows; undefined: the answer may do nothing. */
  readonly contentSecurityPolicy: string | undefined;
  /** Whether the reader is the only owner of the chunks of the opened stream. */
  readonly ownChunks: boolean;
  /** Opens all bytes, or a range of them if the content has validators. */
  readonly open: (range?: ByteRange) => Promise<Readable | Uint8Array>;
  /** Releases the resources of the content; to be called where it is not opened, or cannot be opened. */
  readonly discard: () => Promise<void>;

  constructor(content: {
    mediaType: string;
    filename?: string;
    size?: number;
    validators?: Validators;
    contentSecurityPolicy?: string;
    ownChunks?: boolean;
    open: (range?: ByteRange) => Promise<Readable | Uint8Array>;
    discard?: () => Promise<void>;
  }) {
    this.mediaType = content.mediaType;
    this.filename = content.filename;
    this.size = content.size;
    this.validators = content.validators;
    this.contentSecurityPolicy = content.contentSecurityPolicy;
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

/** The same envelope as content, for data that is sent in chunks. */
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
