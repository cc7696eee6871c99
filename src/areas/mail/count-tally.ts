import type { CountChange } from './count-store.ts';
import type { FlagSet } from './flags.ts';

/** Where a message counts. */
interface Counted {
  folder_id: string;
  flags: FlagSet;
}

/** Adds up what many messages change of the counts, so that each folder and set of flags is written once. */
export class CountTally {
  readonly #changes = new Map<string, CountChange>();

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
    return [...this.#changes.values()].filter(({ messages }) => messages !== 0);
  }

  #change({ folder_id: folderId, flags }: Counted, by: number): void {
    const place = `${flags} ${folderId}`;
    const { messages } = this.#changes.get(place) ?? { messages: 0 };
    this.#changes.set(place, { folderId, flags, messages: messages + by });
  }
}
