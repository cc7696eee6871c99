import { type FlagSet, NUMBER_OF_SETS } from '../changes/flags.ts';
import type { CountChange } from './count-store.ts';

/** Where a message counts. */
interface Counted {
  folderId: string;
  flags: FlagSet;
}

/** Adds up what many messages change of the counts, so that each folder and set of flags is written once. */
export class CountTally {
  /** By folder and set of flags. */
  readonly #changes = new Map<string, Int32Array>();

  /** Notes a message that has come. */
  add(message: Counted): void {
    this.#change(message, 1);
  }

  /** Notes a message that counts elsewhere now. */
  move(from: Counted, to: Counted): void {
    this.#change(from, -1);
    this.#change(to, 1);
  }

  changes(): CountChange[] {
    const all: CountChange[] = [];
    for (const [folderId, counts] of this.#changes) {
      counts.forEach((messages, flags) => {
        if (messages !== 0) all.push({ folderId, flags, messages });
      });
    }
    return all;
  }

  #change({ folderId, flags }: Counted, by: number): void {
    let counts = this.#changes.get(folderId);
    if (!counts) {
      counts = new Int32Array(NUMBER_OF_SETS);
      this.#changes.set(folderId, counts);
    }
    counts[flags] = (counts[flags] ?? 0) + by;
  }
}
