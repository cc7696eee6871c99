import { LRUCache } from 'lru-cache';

/** Memory of an entry in addition to its key and its value, in characters. */
const ROOM_OF_ENTRY = 100;

/**
 * Cache of values that never become outdated: a key must contain everything that would change its value, such as a
 * revision. Its size is limited in characters; the least recently used entry is evicted first.
 */
export class Cache<Value extends object | string> {
  readonly #entries: LRUCache<string, Value>;

  /** In characters of two bytes. `room`: size of all entries; `largest`: size of the largest entry that is cached. */
  constructor({ room, largest = room }: { room: number; largest?: number }) {
    this.#entries = new LRUCache({ maxSize: room, maxEntrySize: largest });
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** `size`: of the value, in characters. A value that is too large is not cached. */
  set(key: string, value: Value, size: number): void {
    this.#entries.set(key, value, { size: ROOM_OF_ENTRY + key.length + size });
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
  }
}
