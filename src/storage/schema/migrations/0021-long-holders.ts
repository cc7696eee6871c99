import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Migration } from '../schema.ts';
import type { SchemaTransaction } from '../schema-transaction.ts';

/** Of addresses that fold to more than 508 UTF-16 units, which only made ones do, digests are stored. */
export const longHolders: Migration = {
  name: '0021-long-holders',
  async up({ tx }) {
    for (const { workspace_id, holder } of await longHoldersIn(tx, 'calendar_spans'))
      await tx
        .updateTable('calendar_spans')
        .set({ holder: `sha256 ${hash('sha256', holder, 'base64url')}` })
        .where('workspace_id', '=', workspace_id)
        .where('holder', '=', holder)
        .execute();
    // What is cached under a version is in no process that starts now.
    for (const { workspace_id, holder } of await longHoldersIn(tx, 'calendar_versions'))
      await tx
        .deleteFrom('calendar_versions')
        .where('workspace_id', '=', workspace_id)
        .where('holder', '=', holder)
        .execute();
  },
};

interface LongHolder {
  workspace_id: string;
  holder: string;
}

const LONGEST_HOLDER = 508;

/** The database counts characters, of which each has one unit or two. */
async function longHoldersIn(
  tx: SchemaTransaction,
  table: 'calendar_spans' | 'calendar_versions',
): Promise<LongHolder[]> {
  const rows = await tx
    .selectFrom(table)
    .select(['workspace_id', 'holder'])
    .distinct()
    .where(sql<boolean>`length(holder) > ${sql.lit(LONGEST_HOLDER / 2)}`)
    .execute();
  return (rows as unknown as LongHolder[]).filter(({ holder }) => holder.length > LONGEST_HOLDER);
}
