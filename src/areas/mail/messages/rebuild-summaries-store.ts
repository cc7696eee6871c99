import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { contents, type RawColumns } from './content-store.ts';

/** A message whose summary is to be made anew. */
export interface OldMessage extends RawColumns {
  workspace_id: string;
  number: number;
  /** The unchanging members of the summary, as JSON without braces; null where there is no such message any more. */
  summary: string | null;
  record: string;
}

/** The next of these messages of all workspaces after a key, in its order. */
export function listOldMessages(
  tx: ReadTransaction,
  after: { workspaceId: string; number: number },
  limit: number,
): Promise<OldMessage[]> {
  return tx
    .selectFrom('mail_summaries_to_make as o')
    .innerJoin(contents(tx, undefined).as('c'), (join) =>
      join.onRef('c.workspace_id', '=', 'o.workspace_id').onRef('c.number', '=', 'o.number'),
    )
    .leftJoin('messages as t', (join) =>
      join.onRef('t.workspace_id', '=', 'o.workspace_id').onRef('t.number', '=', 'o.number'),
    )
    .leftJoin('expunged_messages as e', (join) =>
      join.onRef('e.workspace_id', '=', 'o.workspace_id').onRef('e.number', '=', 'o.number'),
    )
    .select(['o.workspace_id', 'o.number', 'c.record', 'c.raw', 'c.blob_key'])
    .select(({ fn }) => fn.coalesce('t.summary', 'e.summary').as('summary'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('o.workspace_id', 'o.number'), '>', tuple(after.workspaceId, after.number)),
    )
    .orderBy('o.workspace_id')
    .orderBy('o.number')
    .limit(limit)
    .execute();
}

/** Replaces a summary, of a message or an expunged one, unless it has changed since it was read. */
export async function replaceSummary(
  tx: WriteTransaction,
  { workspace_id, number, summary }: OldMessage,
  remade: string,
): Promise<boolean> {
  if (summary === null) return true;
  for (const table of ['messages', 'expunged_messages'] as const) {
    const { numUpdatedRows } = await tx
      .updateTable(table)
      .set({ summary: remade })
      .where('workspace_id', '=', workspace_id)
      .where('number', '=', number)
      .where('summary', '=', summary)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return true;
  }
  return false;
}

/** Notes that the summary of a message is made. */
export async function removeOldMessage(
  tx: WriteTransaction,
  { workspace_id, number }: Pick<OldMessage, 'workspace_id' | 'number'>,
): Promise<void> {
  await tx
    .deleteFrom('mail_summaries_to_make')
    .where('workspace_id', '=', workspace_id)
    .where('number', '=', number)
    .execute();
}
