/** What an entry takes beside what its value is said to take: of small ones this is most. In characters. */
const ROOM_OF_ENTRY = 100;

/** Answers that were given lately and hold for ever under their key. Bounded; the one longest not asked for goes first. */
export class Recent<V> {
  readonly #mostRoom: number;
  readonly #largest: number;
  readonly #entries = new Map<string, { value: V; room: number }>();
  #room = 0;

  /** In characters, of two bytes: for all of them, and of one that is kept at all. */
  constructor({ mostRoom, largest }: { mostRoom: number; largest: number }) {
    this.#mostRoom = mostRoom;
    this.#largest = largest;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `size`: of the value, in characters. */
  set(key: string, value: V, size: number): void {
    if (size > this.#largest) return;
    this.#remove(key);
    const room = ROOM_OF_ENTRY + key.length + size;
    this.#entries.set(key, { value, room });
    this.#room += room;
    for (const oldest of this.#entries.keys()) {
      if (this.#room <= this.#mostRoom) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#room -= entry.room;
    this.#entries.delete(key);
  }
}
