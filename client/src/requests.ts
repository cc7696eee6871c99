import { Content } from './content.ts';
import { AtriumError, ConnectionError, refusalOf } from './errors.ts';
import { type Page, Pages } from './pages.ts';
import { retrying } from './retrying.ts';

/** Bytes that can be sent repeatedly. */
export type Bytes = string | Uint8Array<ArrayBuffer> | Blob;

export interface RequestOptions {
  /** Aborts the call with all its retries. */
  signal?: AbortSignal;
  /** For writes. With a stored key, a call of another process counts as the same write. Default: a new key. */
  idempotencyKey?: string;
  /** In browsers: the call goes on when its page is closed (Fetch, keepalive). */
  keepalive?: boolean;
}

/** A call of an operation. */
export interface Call {
  /** Default: GET. */
  method?: string;
  path: string;
  query?: object;
  headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  body?: object;
  /** Sent unchanged. */
  content?: Bytes;
  mediaType?: string;
}

/** The server and the credentials of requests. */
export interface Target {
  /** Without a trailing slash. */
  address: string;
  /** A function is called before each attempt. */
  key: string | (() => Promise<string>);
  retries: number;
}

interface Envelope<T> {
  data: T;
  pagination: { next_cursor: string; has_more: boolean };
}

/**
 * Sends calls and reads their answers. All methods reject with AtriumError, ConnectionError, or the reason of an
 * abort.
 */
export class Requests {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The `data` of an answer. */
  async data<T>(call: Call, options: RequestOptions): Promise<T> {
    const { data } = await this.send(call, options, (answer) => answer.json() as Promise<Envelope<T>>);
    return data;
  }

  /** Calls an operation whose answer has no content. */
  async done(call: Call, options: RequestOptions): Promise<void> {
    await this.send(call, options, (answer) => answer.arrayBuffer());
  }

  /** A listing whose pages are requested while it is read. */
  pages<T>(call: Call, options: RequestOptions): Pages<T> {
    return new Pages((cursor) => this.#page<T>(call, cursor, options));
  }

  /** Bytes, from the offset `start`. */
  async content(call: Call, options: RequestOptions, start = 0): Promise<Content> {
    const reading = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, reading.signal]) : reading.signal;
    const answerFrom = (offset: number, state: string | null) => {
      const range = { range: `bytes=${offset}-`, 'if-range': state ?? undefined };
      const headers = offset > 0 ? { ...call.headers, ...range } : call.headers;
      const ranged = { ...call, ...(headers && { headers }) };
      return this.send(ranged, { ...options, signal }, async (answer) => answer);
    };
    return new Content(await answerFrom(start, null), start, {
      answerFrom,
      signal,
      end: () => reading.abort(),
    });
  }

  /**
   * The result of `read` for the first success answer; an answer that cannot be read to its end counts as a
   * failure.
   */
  async send<T>(call: Call, options: RequestOptions, read: (answer: Response) => Promise<T>): Promise<T> {
    const { key, retries } = this.#target;
    const { signal } = options;
    const url = this.#urlOf(call);
    const body = call.body === undefined ? call.content : JSON.stringify(call.body);
    const headers = headersOf(call, options);
    const request = {
      method: call.method ?? 'GET',
      headers,
      // A followed redirect could turn a write into a read.
      redirect: 'manual' as const,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(options.keepalive && { keepalive: true }),
    };
    return retrying(
      async () => {
        headers.set('authorization', `Bearer ${typeof key === 'string' ? key : await key()}`);
        return attempt(url, request, read);
      },
      retries,
      signal,
    );
  }

  /** Throws TypeError for a value that would lead to the path of another operation (WHATWG URL 4.4). */
  #urlOf({ path, query }: Call): string {
    const url = new URL(`${this.#target.address}${path}${queryText(query)}`);
    if (url.pathname.endsWith(path) && !/\/(?:\/|$)/.test(path)) return url.href;
    throw new TypeError(`An id must not be empty, "." or "..": ${path}`);
  }

  async #page<T>(call: Call, cursor: string | undefined, options: RequestOptions): Promise<Page<T>> {
    const query = cursor === undefined ? call.query : { ...call.query, cursor };
    const read = (answer: Response) => answer.json() as Promise<Envelope<T[]>>;
    const { data, pagination } = await this.send({ ...call, ...(query && { query }) }, options, read);
    return { items: data, nextCursor: pagination.next_cursor, hasMore: pagination.has_more };
  }
}

/** The signal is passed to fetch itself: for a cloned Request, Node loses it at the next garbage collection. */
async function attempt<T>(
  url: string,
  request: RequestInit,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  try {
    const answer = await fetch(url, request);
    if (!answer.ok) throw await refusalOf(answer);
    return await read(answer);
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (cause instanceof AtriumError) throw cause;
    throw new ConnectionError(`${url} cannot be reached: ${reasonOf(cause)}`, { cause });
  }
}

/** The cause of a failed fetch, more specific than "fetch failed". */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}

function queryText(query: object | undefined): string {
  const members = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  const given = members.filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

function headersOf({ method = 'GET', ...call }: Call, options: RequestOptions): Headers {
  const mediaType = call.body === undefined ? call.mediaType : 'application/json';
  const own = {
    'idempotency-key': method === 'GET' ? undefined : (options.idempotencyKey ?? newIdempotencyKey()),
    'content-type': mediaType,
    ...call.headers,
  };
  return new Headers(
    Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** 128 random bits; browsers lack randomUUID in insecure contexts. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
