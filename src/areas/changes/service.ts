import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Content } from '../../contract/answers.ts';
import { shownTypes } from '../../contract/change-types.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Cursors } from '../../contract/pagination.ts';
import type { Principal } from '../../contract/principal.ts';
import { requireParameter } from '../../contract/required-values.ts';
import { findFeedHolder } from '../../storage/changes.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { hasArrived } from '../../storage/moves.ts';
import { clientEnding, throwIfCancelled } from '../../turns/cancellation.ts';
import { ChangeBell } from './change-bell.ts';
import {
  currentPosition,
  endOfFeed,
  type FeedPosition,
  type FollowedChanges,
  readAllChanges,
  readChangesOf,
  removeChangesBefore,
} from './change-store.ts';
import { type FeedRead, readFeeds, viewersOf } from './feed.ts';
import { type FeedNumber, feedsAbove } from './numbers-on-clusters.ts';
import { type Change, type ChangesPage, ChangesQuery } from './schema.ts';

const DEFAULT_LIMIT = 100;
const MOST_CHANGES = 1_000;
const LONGEST_WAIT_SECONDS = 30;
/** Concurrent streams and waits of a key. */
const MOST_READERS = 20;
/** Maximum delay before a disconnected client or a revoked key is noticed. */
const LONGEST_NAP_MS = 1_000;
/**
 * More often than CHANGE-10 asks: a client that has left is noticed by what is written to it, because it may have closed only
 * its own half of the connection, and holds its slot until then.
 */
const COMMENT_EVERY_MS = 4_000;

/** The encoder of the feed's cursors, and the era that distinguishes cursors from before a restore. */
export interface FeedSeal {
  readonly cursors: Cursors;
  /** Milliseconds for which changes can be read. */
  readonly ttlMs: number;
  /** Changes with each restore. */
  readonly era: string;
}

/** The dependencies of the change feed. */
export interface ChangesDependencies {
  database: Database;
  /** Called once, by the first reader. */
  seal: () => Promise<FeedSeal>;
  /** The principal of a key now; rejects with ApiError where the key is no longer valid. */
  authenticate: (authorization: string | undefined) => Promise<Principal>;
}

/** The change feed: all written changes that a user may see, in the order of commits. */
export class ChangesService {
  readonly #database: Database;
  readonly #findSeal: () => Promise<FeedSeal>;
  readonly #authenticate: ChangesDependencies['authenticate'];
  readonly #bell: ChangeBell;
  readonly #readers = new Map<string, number>();
  #seal: Promise<FeedSeal> | undefined;

  constructor({ database, seal, authenticate }: ChangesDependencies) {
    this.#database = database;
    this.#findSeal = seal;
    this.#authenticate = authenticate;
    this.#bell = new ChangeBell(database);
  }

  /**
   * The changes after a cursor; where there are none, the changes that arrive within the wait. Throws ApiError
   * insufficient_scope, invalid_cursor, cursor_expired and rate_limited, and invalid_api_key when the key of
   * `authorization` has ended meanwhile.
   */
  async read(
    principal: Principal,
    query: ChangesQuery,
    authorization: string | undefined,
  ): Promise<ChangesPage> {
    requireQuery(query);
    const { cursor, types, limit, wait = 0 } = query;
    const shown = shownTypes(principal.permissions, types);
    const seal = await this.#sealed();
    if (cursor === undefined) return pageOf(seal, principal, await this.#begin(principal));
    const most = Math.min(limit ?? DEFAULT_LIMIT, MOST_CHANGES);
    const from = await this.#positionOf(seal, principal, cursor);
    const read = await this.#readOn(principal, shown, from, most);
    if (read.changes.length > 0 || read.more || wait === 0) return pageOf(seal, principal, read);
    const release = this.#take(principal);
    try {
      const isAlive = () => this.#authenticate(authorization);
      return pageOf(
        seal,
        principal,
        await this.#wait(principal, shown, read, { most, seconds: wait, isAlive }),
      );
    } finally {
      release();
    }
  }

  /**
   * The same as endless server-sent events. `lastEventId`: the cursor of the last event that was read; it takes
   * precedence over the cursor of the query. Throws as `read`.
   */
  async stream(
    principal: Principal,
    query: ChangesQuery,
    { authorization, lastEventId }: { authorization: string | undefined; lastEventId: string | undefined },
  ): Promise<Content> {
    requireQuery(query);
    const { cursor, types } = query;
    const shown = shownTypes(principal.permissions, types);
    const seal = await this.#sealed();
    const from = lastEventId ?? cursor;
    const position =
      from === undefined
        ? (await this.#begin(principal)).position
        : await this.#positionOf(seal, principal, from);
    const release = this.#take(principal);
    const events = this.#events(seal, principal, shown, position, {
      authorization,
      hasEnded: clientEnding(),
    });
    return new Content({
      mediaType: 'text/event-stream',
      open: async () => Readable.from(events, { objectMode: false }).once('close', release),
      discard: async () => release(),
    });
  }

  end(tx: ReadTransaction): Promise<FeedPosition> {
    return endOfFeed(tx);
  }

  readAll(tx: ReadTransaction, after: FeedPosition, limit: number): Promise<FollowedChanges | undefined> {
    return readAllChanges(tx, after, limit);
  }

  readOf(
    tx: ReadTransaction,
    workspaceId: string,
    after: FeedPosition,
    limit: number,
  ): Promise<FollowedChanges> {
    return readChangesOf(tx, workspaceId, after, limit);
  }

  feedsAbove(tx: ReadTransaction, number: number): Promise<FeedNumber[]> {
    return feedsAbove(tx, number);
  }

  /** Seconds for which the oldest writing transaction has held back the feed. */
  async lag(): Promise<number> {
    const holder = await this.#database.read(findFeedHolder);
    return holder?.seconds ?? 0;
  }

  forget(tx: WriteTransaction, before: number, limit: number): Promise<number> {
    return removeChangesBefore(tx, before, limit);
  }

  /** Ends streams and waits. */
  close(): void {
    this.#bell.close();
  }

  async #begin({ workspaceId }: Principal): Promise<FeedRead> {
    const readUntil = Date.now();
    const position = await this.#database.read((tx) => currentPosition(tx, workspaceId));
    return { changes: [], position, readUntil, more: false };
  }

  async #wait(
    principal: Principal,
    shown: ReadonlySet<string>,
    before: FeedRead,
    { most, seconds, isAlive }: { most: number; seconds: number; isAlive: () => Promise<unknown> },
  ): Promise<FeedRead> {
    const until = performance.now() + Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000;
    const listener = this.#bell.listen(principal.workspaceId, viewersOf(principal));
    const hasEnded = clientEnding();
    try {
      let read = await this.#readOn(principal, shown, before.position, most);
      while (read.changes.length === 0 && !read.more && !this.#bell.isClosed) {
        const left = until - performance.now();
        if (left <= 0 || hasEnded()) break;
        const hasNews = await listener.next(Math.min(left, LONGEST_NAP_MS));
        throwIfCancelled();
        // The last read takes the cursor as far as the feed has come.
        const isLast = left <= LONGEST_NAP_MS;
        if (!hasNews && !isLast) continue;
        await isAlive();
        read = await this.#readOn(principal, shown, read.position, most);
      }
      return read;
    } finally {
      listener.close();
    }
  }

  async *#events(
    seal: FeedSeal,
    principal: Principal,
    shown: ReadonlySet<string>,
    from: FeedPosition,
    { authorization, hasEnded }: { authorization: string | undefined; hasEnded: () => boolean },
  ): AsyncGenerator<string> {
    const listener = this.#bell.listen(principal.workspaceId, viewersOf(principal));
    try {
      // The first event makes the server send the head of the answer.
      yield ': changes\n\n';
      let position = from;
      let hasNews = true;
      let silentSince = performance.now();
      while (!this.#bell.isClosed && !hasEnded()) {
        if (!(await this.#isAlive(authorization))) return;
        const read: FeedRead | undefined = hasNews
          ? await this.#readOn(principal, shown, position, DEFAULT_LIMIT)
          : undefined;
        for (const { change, behind } of read?.changes ?? []) {
          yield eventOf(change, cursorOf(seal, principal, behind, Date.parse(change.at)));
          silentSince = performance.now();
        }
        if (performance.now() - silentSince > COMMENT_EVERY_MS) {
          yield ': nothing new\n\n';
          silentSince = performance.now();
        }
        position = read?.position ?? position;
        hasNews = read?.more || (await listener.next(LONGEST_NAP_MS));
      }
    } finally {
      listener.close();
    }
  }

  async #isAlive(authorization: string | undefined): Promise<boolean> {
    try {
      await this.#authenticate(authorization);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      // An unavailable storage does not end a key.
      await sleep(LONGEST_NAP_MS);
      return true;
    }
  }

  /** Takes one of the key's few slots for waiting connections. Returns the function that releases it. */
  #take({ keyId }: Principal): () => void {
    const readers = this.#readers.get(keyId) ?? 0;
    if (readers >= MOST_READERS) {
      throw new ApiError('rate_limited', `A key has at most ${MOST_READERS} streams and waits at a time.`, {
        limit: MOST_READERS,
        retry_after: 1,
      });
    }
    this.#readers.set(keyId, readers + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#readers.get(keyId) ?? 1) - 1;
      if (left > 0) this.#readers.set(keyId, left);
      else this.#readers.delete(keyId);
    };
  }

  /** The position of a cursor; one that another installation made, from which the workspace has come, has expired. */
  async #positionOf(seal: FeedSeal, principal: Principal, cursor: string): Promise<FeedPosition> {
    try {
      return positionOf(seal, principal, cursor);
    } catch (error) {
      const isOfOther =
        error instanceof ApiError && error.code === 'invalid_cursor' && error.details.reason === 'malformed';
      if (!isOfOther || !(await this.#database.read((tx) => hasArrived(tx, principal.workspaceId))))
        throw error;
      throw expired('is not of this installation, to which the workspace has moved');
    }
  }

  #readOn(
    principal: Principal,
    shown: ReadonlySet<string>,
    from: FeedPosition,
    most: number,
  ): Promise<FeedRead> {
    return this.#database.read((tx) => readFeeds(tx, principal, shown, from, most));
  }

  #sealed(): Promise<FeedSeal> {
    this.#seal ??= this.#findSeal().catch((error) => {
      this.#seal = undefined;
      throw error;
    });
    return this.#seal;
  }
}

function pageOf(
  seal: FeedSeal,
  principal: Principal,
  { changes, position, readUntil, more }: FeedRead,
): ChangesPage {
  const cursor = cursorOf(seal, principal, position, readUntil);
  return { changes: changes.map(({ change }) => change), cursor, more };
}

function cursorOf(
  { cursors, era }: FeedSeal,
  { userId }: Principal,
  { transaction, number, seen = '' }: FeedPosition,
  readUntil: number,
): string {
  const position = [era, transaction, number, readUntil, seen];
  return cursors.encode({ listing: 'changes', user: userId, filters: '' }, position);
}

/**
 * The position of a cursor. It expires by the time up to which it has read, not by its own age: changes behind an old
 * position are removed. Throws ApiError invalid_cursor and cursor_expired.
 */
function positionOf({ cursors, era, ttlMs }: FeedSeal, { userId }: Principal, cursor: string): FeedPosition {
  const listing = { listing: 'changes', user: userId, filters: '' };
  const [eraOfCursor, transaction, number, readUntil, seen] = cursors.decode(listing, cursor);
  if (eraOfCursor !== era) throw expired('is from before a restore');
  if (Number(readUntil) + ttlMs <= Date.now()) throw expired('is too old');
  const isExact = typeof seen === 'string' && seen !== '';
  return { transaction: Number(transaction), number: Number(number), ...(isExact && { seen }) };
}

function expired(how: string): ApiError {
  return new ApiError(
    'cursor_expired',
    `The cursor ${how}. List what you mirror again, then follow from a new cursor.`,
  );
}

function requireQuery(query: ChangesQuery): void {
  for (const [name, schema] of Object.entries(ChangesQuery.properties)) {
    const value = query[name as keyof ChangesQuery];
    if (value !== undefined) requireParameter(schema, value, name);
  }
}

/** Formats an event as the HTML standard specifies: server-sent events, section 9.2.6. */
function eventOf(change: Change, cursor: string): string {
  return `id: ${cursor}\nevent: ${change.type}\ndata: ${JSON.stringify(change)}\n\n`;
}
