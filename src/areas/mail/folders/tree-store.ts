import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { ROWS_A_PORTION } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { MailboxOwner } from '../owner.ts';

const foldersUp = statement((tx, p: MailboxOwner & { id: string }) =>
  tx
    .withRecursive('up(id, parent_id)', (query) =>
      query
        .selectFrom('mail_folders')
        .select(['id', 'parent_id'])
        .where('workspace_id', '=', p.workspaceId)
        .where('user_id', '=', p.userId)
        .where('id', '=', p.id)
        .union((next) =>
          next
            .selectFrom('up')
            .innerJoin('mail_folders as f', 'f.id', 'up.parent_id')
            .select(['f.id', 'f.parent_id'])
            .where('f.workspace_id', '=', p.workspaceId)
            .where('f.user_id', '=', p.userId),
        ),
    )
    .selectFrom('up')
    .select(sql<number>`count(*)`.as('levels')),
);

/** How many levels of folders there are from the root down to a folder: 1 for one at the root. */
export async function levelsDownTo(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  id: string,
): Promise<number> {
  return Number((await foldersUp(tx, { workspaceId, userId, id }))[0]?.levels ?? 0);
}

const foldersDown = statement((tx, p: MailboxOwner & { id: string; most: number }) =>
  tx
    .withRecursive('down(id, level)', (query) =>
      query
        .selectFrom('mail_folders')
        .select(['id', sql<number>`cast(1 as bigint)`.as('level')])
        .where('workspace_id', '=', p.workspaceId)
        .where('user_id', '=', p.userId)
        .where('id', '=', p.id)
        .unionAll((next) =>
          next
            .selectFrom('down')
            .innerJoin('mail_folders as f', 'f.parent_id', 'down.id')
            .select(['f.id', sql<number>`down.level + 1`.as('level')])
            .where('f.workspace_id', '=', p.workspaceId)
            .where('f.user_id', '=', p.userId)
            .where('down.level', '<', p.most),
        ),
    )
    .selectFrom('down')
    .select(sql<number>`max(level)`.as('levels')),
);

/** How many levels a folder has with all below it: 1 for one without folders. It stops counting at `most`. */
export async function levelsBelow(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  id: string,
  most: number,
): Promise<number> {
  return Number((await foldersDown(tx, { workspaceId, userId, id, most }))[0]?.levels ?? 0);
}

/** Whether any folder lies in a folder. */
export async function hasFoldersIn(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderId: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom('mail_folders')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('parent_id', '=', folderId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

const removeImports = statement((tx: WriteTransaction, p: MailboxOwner & { folderId: string }) =>
  tx
    .deleteFrom('mail_imports')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('folder_id', '=', p.folderId)
    .where('digest', 'in', (query) =>
      query
        .selectFrom('mail_imports')
        .select('digest')
        .where('workspace_id', '=', p.workspaceId)
        .where('user_id', '=', p.userId)
        .where('folder_id', '=', p.folderId)
        .limit(sql.lit(ROWS_A_PORTION)),
    )
    .returning('copies'),
);

/** Removes a folder that holds nothing, with its counts and what was noted of imports into it. */
export async function removeFolder(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  folderId: string,
): Promise<void> {
  while ((await removeImports(tx, { workspaceId, userId, folderId })).length === ROWS_A_PORTION);
  await tx
    .deleteFrom('mail_folder_counts')
    .where('workspace_id', '=', workspaceId)
    .where('folder_id', '=', folderId)
    .execute();
  await tx
    .deleteFrom('mail_folders')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('id', '=', folderId)
    .execute();
}
