import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Type } from 'typebox';
import type { CursorPosition, Page, PageRequest, Pagination } from './answers.ts';
import { ApiError } from './errors.ts';
import type { Paging } from './operation.ts';
import type { Principal } from './principal.ts';
import { requireParameter } from './required-values.ts';

/** The listing that a cursor belongs to: a cursor is valid with this listing only. */
export interface Listing {
  /** The operation. */
  listing: string;
  user: string;
  /** The query without limit, cursor and include; the digest of a long one. */
  filters: string;
}

interface CursorContent extends Listing {
  /** Seconds since the epoch. */
  issued: number;
  position: CursorPosition;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Characters. */
const LONGEST_FILTERS = 100;

/** Writes and reads cursors: encrypted and authenticated, so they are opaque and cannot be forged. */
export class Cursors {
  readonly #key: KeyObject;
  readonly #ttlSeconds: number;

  /** `key`: 32 bytes, equal on every node. */
  constructor(key: Buffer, ttlSeconds: number) {
    this.#key = createSecretKey(key);
    this.#ttlSeconds = ttlSeconds;
  }

  encode(listing: Listing, position: CursorPosition): string {
    const content: CursorContent = { ...listing, issued: now(), position };
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce);
    const sealed = [nonce, cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }

  /** Throws ApiError invalid_cursor or cursor_expired. */
  decode(expected: Listing, cursor: string): CursorPosition {
    const content = this.#open(cursor);
    if (content.listing !== expected.listing)
      throw invalidCursor('other_listing', 'was made by another listing');
    if (content.user !== expected.user) throw invalidCursor('other_user', 'was made for another user');
    if (content.filters !== expected.filters)
      throw invalidCursor('other_filters', 'was made with other filters');
    if (content.issued + this.#ttlSeconds <= now()) {
      throw new ApiError(
        'cursor_expired',
        'The cursor is too old. Start the listing again without a cursor.',
      );
    }
    return content.position;
  }

  #open(cursor: string): CursorContent {
    const bytes = Buffer.from(cursor, 'base64url');
    // Decoding skips characters that are not base64url; only the exact text of an issued cursor may decode.
    if (bytes.toString('base64url') !== cursor)
      throw invalidCursor('malformed', 'is not one that this server made');
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return JSON.parse(Buffer.concat([opened, decipher.final()]).toString());
    } catch (cause) {
      throw invalidCursor('malformed', 'is not one that this server made', cause);
    }
  }
}

function invalidCursor(reason: string, what: string, cause?: unknown): ApiError {
  return new ApiError('invalid_cursor', `The cursor ${what}.`, { reason }, { cause });
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** Identifies the listing of an operation for a user, a query and the parameters of its path. */
export function listingOf(
  operationId: string,
  { userId }: Pick<Principal, 'userId'>,
  query: Record<string, unknown>,
  params: Record<string, string> = {},
): Listing {
  const filters = [...Object.entries(params), ...Object.entries(filtersOf(query))];
  return { listing: operationId, user: userId, filters: shortened(canonical(filters)) };
}

/** Returns few filters as they are, which costs less than a digest; many filters would make the cursor long. */
function shortened(filters: string): string {
  return filters.length <= LONGEST_FILTERS ? filters : hash('sha256', filters, 'base64url').slice(0, 16);
}

/** Normalises filters: neither their order nor a repeated value makes other filters. */
function canonical(filters: readonly (readonly [string, unknown])[]): string {
  const sorted = filters.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return JSON.stringify(sorted.map(([name, value]) => [name, canonicalValue(value)]));
}

function canonicalValue(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value)].sort() : value;
}

/** "A limit above the cap is clamped to the cap, not rejected." */
function limitOf(paging: Paging, asked: unknown): number {
  if (asked === undefined) return paging.default;
  requireParameter(LIMIT, asked, 'limit');
  return Math.min(Number(asked), paging.cap);
}

/** SQLite would read a limit below one as no limit. */
const LIMIT = Type.Integer({ minimum: 1 });

/** Reads limit and cursor of a request. Throws ApiError invalid_cursor or cursor_expired. */
export function pageRequest(
  cursors: Cursors,
  paging: Paging,
  listing: Listing,
  query: Record<string, unknown>,
): PageRequest {
  const { cursor, limit } = query;
  return {
    limit: limitOf(paging, limit),
    after: typeof cursor === 'string' ? cursors.decode(listing, cursor) : undefined,
  };
}

/**
 * "has_more stays true while a full page comes back", and while a page is cut short; next_cursor is empty when it is
 * false.
 */
export function paginationOf(cursors: Cursors, listing: Listing, page: Page, limit: number): Pagination {
  const hasMore = (page.isCut === true || page.count === limit) && page.last !== undefined;
  return {
    next_cursor: hasMore && page.last ? cursors.encode(listing, page.last) : '',
    has_more: hasMore,
    limit,
  };
}

/**
 * The filters: the query without limit, cursor and include, which says what each item has and not which items there are,
 * and without what is false: every filter that is true or false narrows its list when it is true, and is false by default.
 */
function filtersOf({
  cursor: _cursor,
  limit: _limit,
  include: _include,
  ...filters
}: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== false));
}
