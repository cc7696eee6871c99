import { Usage } from './usage.ts';

/** More waits than may: of one, or of all together. */
export class TooManyWaiting extends Error {}

/** How many may wait. */
export interface Room {
  readonly each: number;
  readonly all: number;
}

/** For those who wait anyway, whether in a line of ours or not. */
export const UNBOUNDED: Room = { each: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY };

const USUAL_ROOM: Room = { each: 100, all: 1_000 };

/** Something that waits, for whom, and how long it will take as far as its size tells. */
interface Waiting<Item> {
  readonly whom: string;
  readonly item: Item;
  readonly costMs: number;
}

/**
 * Who has used the least goes first, and of what one has waiting the oldest: however much others ask for, and however many
 * requests they make of it, nobody waits behind more than one piece of work of each of them.
 */
export class FairQueue<Item> {
  readonly #lines = new Map<string, Waiting<Item>[]>();
  readonly #usage: Usage;
  readonly #room: Room;
  #size = 0;

  /** Others may have the same usage: who is asked for work counts there what it took. */
  constructor(room: Room = USUAL_ROOM, usage: Usage = new Usage()) {
    this.#room = room;
    this.#usage = usage;
  }

  get size(): number {
    return this.#size;
  }

  /** Throws TooManyWaiting. `costMs` is an estimate, by which what is small goes before what is large. */
  add(whom: string, item: Item, costMs = 0): void {
    const line = this.#lines.get(whom) ?? [];
    if (line.length >= this.#room.each || this.#size >= this.#room.all) {
      throw new TooManyWaiting('too much work waits already');
    }
    line.push({ whom, item, costMs });
    this.#lines.set(whom, line);
    this.#size++;
  }

  /** What is next, and for whom, of those who may have a turn; undefined where nothing of theirs waits. */
  take(mayHave: (whom: string) => boolean = () => true): { whom: string; item: Item } | undefined {
    const line = this.#nextLine(mayHave);
    const next = line?.shift();
    if (next === undefined) return undefined;
    this.#size--;
    // Who has more waiting goes behind those who have used as little.
    this.#lines.delete(next.whom);
    if (line !== undefined && line.length > 0) this.#lines.set(next.whom, line);
    return next;
  }

  /** Whether anybody else waits. */
  hasOthersThan(whom: string): boolean {
    return this.#lines.size > (this.#lines.has(whom) ? 1 : 0);
  }

  #nextLine(mayHave: (whom: string) => boolean): Waiting<Item>[] | undefined {
    let least = Number.POSITIVE_INFINITY;
    let next: Waiting<Item>[] | undefined;
    const now = performance.now();
    for (const [whom, line] of this.#lines) {
      if (!mayHave(whom)) continue;
      const ms = this.#usage.of(whom, now) + (line[0]?.costMs ?? 0);
      if (ms >= least) continue;
      least = ms;
      next = line;
    }
    return next;
  }
}
