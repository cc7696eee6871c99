import { sql } from 'kysely';
import type { WriteTransaction } from '../../../storage/database.ts';
import { rowsInsertion } from '../../../storage/query/insertion.ts';
import { type FlagSet, NUMBER_OF_SETS } from '../changes/flags.ts';
import type { MailboxOwner } from '../owner.ts';

/** A change of the number of messages of a folder that have exactly these flags. */
export interface CountChange {
  folderId: string;
  flags: FlagSet;
  messages: number;
}

const upsertCounts = rowsInsertion(
  'mail_folder_counts',
  ['workspace_id', 'user_id', 'folder_id', 'flags', 'messages'],
  (insertion) =>
    insertion.onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'folder_id', 'flags'])
        .doUpdateSet({ messages: sql<number>`mail_folder_counts.messages + excluded.messages` }),
    ),
);

/** Changes the message counts of folders; names each pair of folder and flag set at most once. */
export async function changeCounts(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  changes: readonly CountChange[],
): Promise<void> {
  const rows = changes.map(({ folderId, flags, messages }) => [
    workspaceId,
    userId,
    folderId,
    flags,
    messages,
  ]);
  await upsertCounts(tx, rows, {});
}

/** The folder and flag set under which a message is counted. */
interface Counted {
  folderId: string;
  flags: FlagSet;
}

/** Sums the count changes of many messages, so that each folder and flag set is written once. */
export class CountTally {
  /** By folder id; the array is indexed by flag set. */
  readonly #changes = new Map<string, Int32Array>();

  /** Counts a new message. */
  add(message: Counted): void {
    this.#change(message, 1);
  }

  /** Counts a message whose folder or flags changed. */
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
