/** What an entry takes beside what its value is said to take: of small ones this is most. In characters. */
const ROOM_OF_ENTRY = 100;

interface Entry<V> {
  readonly value: V;
  readonly room: number;
  /** As of when it was kept or asked for last. */
  age: number;
}

/** Answers that were given lately and hold for ever under their key. Bounded; the one longest not asked for goes first. */
export class Recent<V> {
  readonly #mostRoom: number;
  readonly #largest: number;
  /** The one longest not asked for first. */
  readonly #entries = new Map<string, Entry<V>>();
  /** Goes from the oldest on: a new one each time would have to pass the places of all that were removed. */
  #keys = this.#entries.keys();
  /** How many were put at the end since then. */
  #putSinceKeys = 0;
  #room = 0;
  /** How often what nobody asks for was forgotten. */
  #age = 0;

  /** In characters, of two bytes: for all of them, and of one that is kept at all. */
  constructor({ mostRoom, largest }: { mostRoom: number; largest: number }) {
    this.#mostRoom = mostRoom;
    this.#largest = largest;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#putLast(key, entry);
    entry.age = this.#age;
    return entry.value;
  }

  /** `size`: of the value, in characters. */
  set(key: string, value: V, size: number): void {
    if (size > this.#largest) return;
    this.#remove(key);
    const room = ROOM_OF_ENTRY + key.length + size;
    this.#putLast(key, { value, room, age: this.#age });
    this.#room += room;
    while (this.#room > this.#mostRoom) this.#remove(this.#oldest());
  }

  /** Gives back what was neither kept nor asked for since the last call. */
  forgetUnused(): void {
    for (const [key, { age }] of this.#entries) {
      if (age === this.#age) break;
      this.#remove(key);
    }
    this.#beginAtOldest();
    this.#age++;
  }

  #putLast(key: string, entry: Entry<V>): void {
    this.#entries.set(key, entry);
    // A place at the end is a new one: after so many the map has moved, perhaps more than once.
    if (++this.#putSinceKeys > this.#entries.size) this.#beginAtOldest();
  }

  /** The iterator before would hold on to all that the map was since, and with it to what was removed. */
  #beginAtOldest(): void {
    this.#keys = this.#entries.keys();
    this.#putSinceKeys = 0;
  }

  #oldest(): string {
    let oldest = this.#keys.next();
    if (oldest.done) {
      this.#beginAtOldest();
      oldest = this.#keys.next();
    }
    return oldest.value ?? '';
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#room -= entry.room;
    this.#entries.delete(key);
  }
}
