import { sql } from 'kysely';
import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/query/statement.ts';
import type { DriveOwner } from './owner.ts';

/**
 * An offset keeps PostgreSQL to one folder after the other: it expects many rows of each step, and would read all nodes of
 * the owner for it.
 */
const foldersDown = statement((tx, p: DriveOwner & { folderId: string; most: number }) =>
  tx
    .withRecursive('down(id, level)', (query) => {
      const below = tx
        .selectFrom('nodes as o')
        .select('o.id')
        .where('o.workspace_id', '=', p.workspaceId)
        .where('o.owner_id', '=', p.userId)
        .where('o.parent_id', '=', sql.ref<string>('down.id'))
        .where('o.kind', '=', sql.lit('folder' as const))
        .offset(sql.lit(0));
      const level = sql<number>`down.level + 1`.as('level');
      return query
        .selectFrom('nodes')
        .select(['nodes.id', sql<number>`cast(1 as bigint)`.as('level')])
        .where('nodes.workspace_id', '=', p.workspaceId)
        .where('nodes.id', '=', p.folderId)
        .unionAll((next) =>
          tx.engine === 'postgres'
            ? next
                .selectFrom('down')
                .crossJoinLateral(below.as('nodes'))
                .select(['nodes.id', level])
                .where('down.level', '<', p.most)
            : next
                .selectFrom('down')
                .crossJoin('nodes')
                .select(['nodes.id', level])
                .where('down.level', '<', p.most)
                .where('nodes.workspace_id', '=', p.workspaceId)
                .where('nodes.owner_id', '=', p.userId)
                .whereRef('nodes.parent_id', '=', 'down.id')
                .where('nodes.kind', '=', sql.lit('folder' as const)),
        );
    })
    .selectFrom('down')
    .select(sql<number>`max(level)`.as('levels')),
);

/**
 * How many levels of folders there are from a folder down, whatever their state: 1 for one without folders. It stops
 * counting at `most`.
 */
export async function levelsBelow(
  tx: ReadTransaction,
  { workspaceId, userId }: DriveOwner,
  folderId: string,
  most: number,
): Promise<number> {
  return Number((await foldersDown(tx, { workspaceId, userId, folderId, most }))[0]?.levels ?? 0);
}
