import type { DBSchema, IDBPDatabase } from 'idb';
import { openLasting } from './lasting.ts';
import { type Entry, filled, isUncertain } from './outbox-entry.ts';

export const OUTBOX_DATABASE = 'atrium-outbox';
/** Its store of what is not confirmed. */
export const WRITES = 'writes';

interface Schema extends DBSchema {
  [WRITES]: { key: number; value: Entry; indexes: { user: string } };
}

/** An entry that is about to be sent. */
export interface Claim {
  entry: Entry;
  /** Whether it was never sent before. */
  isFirst: boolean;
}

/** Above all ids of the database; windows differ, for they tell each other by ids. */
const FIRST_MEMORY_ID = 2 ** 52 + Math.floor(Math.random() * 2 ** 30) * 2 ** 20;

const UNCERTAIN = 'The connection was lost when this was sent. Look whether it was done.';

/**
 * Keeps the outbox over reloads and crashes of the browser. Where the browser gives no database, or no room in it, the rest is
 * kept in memory, which `isLasting` says.
 */
export class OutboxStore {
  readonly #database: Promise<IDBPDatabase<Schema> | undefined>;
  readonly #memory = new Map<number, Entry>();
  #isLasting = true;
  #nextMemoryId = FIRST_MEMORY_ID;

  constructor() {
    this.#database = openLasting<Schema>(OUTBOX_DATABASE, 1, (database) => {
      const writes = database.createObjectStore(WRITES, { keyPath: 'id', autoIncrement: true });
      writes.createIndex('user', 'userId');
    });
  }

  /** Whether new entries outlive the page. */
  get isLasting(): boolean {
    return this.#isLasting;
  }

  /** Whether an entry lives in this page alone. */
  isInMemory(id: number): boolean {
    return this.#memory.has(id);
  }

  /** Resolves when the entry is on the disk of the browser; where that has no room for it, it is kept in memory. */
  async add(entry: Omit<Entry, 'id'>): Promise<Entry> {
    if (this.#isLasting) {
      try {
        const transaction = (await this.#opened()).transaction(WRITES, 'readwrite', {
          durability: 'strict',
        });
        const id = await transaction.store.add(entry as Entry);
        await transaction.done;
        return { ...entry, id };
      } catch {
        // Also what follows: an entry on the disk would be sent before those in memory that came first.
        this.#isLasting = false;
      }
    }
    const kept = { ...entry, id: this.#nextMemoryId++ };
    this.#memory.set(kept.id, kept);
    return kept;
  }

  /**
   * Marks an entry as attempted, in one step with looking whether it is still there: another tab may take it back at the same
   * moment. Undefined where it is gone or has a problem, which it gets where a repeat could be done twice.
   */
  async claim(id: number, sessionId: string, ttlMs: number): Promise<Claim | undefined> {
    let isFirst = false;
    const entry = await this.change(id, (found) => {
      if (found.problem || found.after !== undefined) return undefined;
      if (isUncertain(found, sessionId, ttlMs))
        return { ...found, problem: { kind: 'uncertain', message: UNCERTAIN } };
      isFirst = found.attemptedAt === 0;
      return { ...found, sessionId, attemptedAt: found.attemptedAt || Date.now() };
    });
    return entry && !entry.problem ? { entry, isFirst } : undefined;
  }

  /** Removes an entry that was not attempted, and what waits for its answer. Resolves to them; to none where it is too late. */
  async takeBack(id: number): Promise<Entry[]> {
    return this.#remove(id, ({ attemptedAt }) => attemptedAt === 0);
  }

  /** Removes an entry, and what waits for its answer. Resolves to them. */
  async remove(id: number): Promise<Entry[]> {
    return this.#remove(id, () => true);
  }

  /** Removes an entry that is done, in one step with giving its answer to what has waited for it. */
  async settle(id: number, answer: unknown): Promise<void> {
    for (const entry of this.#memory.values())
      if (entry.after === id) this.#memory.set(entry.id, filled(entry, answer));
    if (this.#memory.delete(id)) return;
    const transaction = (await this.#opened()).transaction(WRITES, 'readwrite', { durability: 'strict' });
    const done = await transaction.store.get(id);
    if (done) {
      for (const entry of await transaction.store.index('user').getAll(done.userId))
        if (entry.after === id) await transaction.store.put(filled(entry, answer));
      await transaction.store.delete(id);
    }
    await transaction.done;
  }

  /** Changes an entry as it is now. Resolves to what it has become; to undefined where it is gone, or stays as it was. */
  async change(id: number, change: (entry: Entry) => Entry | undefined): Promise<Entry | undefined> {
    const kept = this.#memory.get(id);
    if (kept) {
      const changed = change(kept);
      if (changed) this.#memory.set(id, changed);
      return changed;
    }
    const transaction = (await this.#opened()).transaction(WRITES, 'readwrite', { durability: 'strict' });
    const entry = await transaction.store.get(id);
    const changed = entry && change(entry);
    if (changed) await transaction.store.put(changed);
    await transaction.done;
    return changed;
  }

  async get(id: number): Promise<Entry | undefined> {
    return this.#memory.get(id) ?? (await this.#database)?.get(WRITES, id);
  }

  /** The entries of a user in the order in which they were made. */
  async all(userId: string): Promise<Entry[]> {
    const own = [...this.#memory.values()].filter((entry) => entry.userId === userId);
    return [...(await this.#lasting(userId)), ...own];
  }

  async #lasting(userId: string): Promise<Entry[]> {
    try {
      return await (await this.#opened()).getAllFromIndex(WRITES, 'user', userId);
    } catch {
      this.#isLasting = false;
      return [];
    }
  }

  async #remove(id: number, may: (entry: Entry) => boolean): Promise<Entry[]> {
    const kept = this.#memory.get(id);
    if (kept) return may(kept) ? this.#removeKept(kept) : [];
    const transaction = (await this.#opened()).transaction(WRITES, 'readwrite', { durability: 'strict' });
    const entry = await transaction.store.get(id);
    const removed = entry && may(entry) ? [entry] : [];
    if (entry) {
      // Each may be waited for by one that came later.
      for (const one of await transaction.store.index('user').getAll(entry.userId))
        if (removed.some(({ id: gone }) => gone === one.after)) removed.push(one);
    }
    for (const one of removed) await transaction.store.delete(one.id);
    await transaction.done;
    return [...removed, ...removed.flatMap((one) => this.#removeWaiting(one.id))];
  }

  #removeKept(entry: Entry): Entry[] {
    this.#memory.delete(entry.id);
    return [entry, ...this.#removeWaiting(entry.id)];
  }

  #removeWaiting(id: number): Entry[] {
    const waiting = [...this.#memory.values()].filter(({ after }) => after === id);
    return waiting.flatMap((entry) => this.#removeKept(entry));
  }

  async #opened(): Promise<IDBPDatabase<Schema>> {
    const database = await this.#database;
    if (!database) throw new Error('The browser gives no database');
    return database;
  }
}
