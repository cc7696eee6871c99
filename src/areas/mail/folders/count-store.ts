import { sql } from 'kysely';
import type { WriteTransaction } from '../../../storage/database.ts';
import { arraysIn, integerAt, textAt } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { type FlagSet, NUMBER_OF_SETS } from '../changes/flags.ts';
import type { MailboxOwner } from '../owner.ts';

/** A change of the number of messages of a folder that have exactly these flags. */
export interface CountChange {
  folderId: string;
  flags: FlagSet;
  messages: number;
}

const upsertCount = statement((tx: WriteTransaction, p: MailboxOwner & CountChange) =>
  tx
    .insertInto('mail_folder_counts')
    .values({
      workspace_id: p.workspaceId,
      user_id: p.userId,
      folder_id: p.folderId,
      flags: p.flags,
      messages: p.messages,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'folder_id', 'flags'])
        .doUpdateSet({ messages: sql<number>`mail_folder_counts.messages + excluded.messages` }),
    ),
);

const upsertCounts = statement((tx: WriteTransaction, p: { rows: string }) =>
  tx
    .insertInto('mail_folder_counts')
    .columns(['workspace_id', 'user_id', 'folder_id', 'flags', 'messages'])
    .expression(
      tx
        .selectFrom(arraysIn(tx, p.rows, 'e'))
        .select([
          textAt('e', 0).as('workspace_id'),
          textAt('e', 1).as('user_id'),
          textAt('e', 2).as('folder_id'),
          integerAt('e', 3).as('flags'),
          integerAt('e', 4).as('messages'),
        ])
        // SQLite reads ON CONFLICT after a SELECT without WHERE as part of a join.
        .where(sql.lit(true)),
    )
    .onConflict((conflict) =>
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
  const [only] = changes;
  if (only && changes.length === 1) {
    await upsertCount(tx, { ...only, workspaceId, userId });
    return;
  }
  const rows = changes.map(({ folderId, flags, messages }) => [
    workspaceId,
    userId,
    folderId,
    flags,
    messages,
  ]);
  if (rows.length > 0) await upsertCounts(tx, { rows: JSON.stringify(rows) });
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
