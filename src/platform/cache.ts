import { LRUCache } from 'lru-cache';

/** What an entry takes beside its key and its value. In characters. */
const ROOM_OF_ENTRY = 100;

/**
 * Values that hold for as long as their keys are asked for: whoever keeps one puts into its key what would change it, such
 * as a revision. Bounded in characters; the one longest not asked for goes first.
 */
export class Cache<Value extends object | string> {
  readonly #entries: LRUCache<string, Value>;

  /** In characters, of two bytes: of all entries, and of one that is kept at all. */
  constructor({ room, largest = room }: { room: number; largest?: number }) {
    this.#entries = new LRUCache({ maxSize: room, maxEntrySize: largest });
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  /** `size`: of the value, in characters. A value that is too large is not kept. */
  set(key: string, value: Value, size: number): void {
    this.#entries.set(key, value, { size: ROOM_OF_ENTRY + key.length + size });
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
  }
}
