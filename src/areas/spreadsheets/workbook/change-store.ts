import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { BlockKey } from '../cells/block.ts';
import type { SpreadsheetKey } from './workbook.ts';

/** Number of versions whose changes are stored, for nodes that hold an older version. */
export const FOLLOWED_VERSIONS = 100;

/** A block of one of the sheets of a spreadsheet. */
export interface SheetBlock extends BlockKey {
  readonly sheet: string;
}

const addChange = command((tx: WriteTransaction, p: SpreadsheetKey & { version: number; blocks: string }) =>
  tx
    .insertInto('spreadsheet_changes')
    .values({ workspace_id: p.workspaceId, node_id: p.id, version: p.version, blocks: p.blocks }),
);

/** Records the blocks that the write of a version changes. */
export async function insertChange(
  tx: WriteTransaction,
  { workspaceId, id }: SpreadsheetKey,
  version: number,
  blocks: readonly SheetBlock[],
): Promise<void> {
  const triples = blocks.map(({ sheet, rowBlock, columnBlock }) => [sheet, rowBlock, columnBlock]);
  await addChange(tx, { workspaceId, id, version, blocks: JSON.stringify(triples) });
}

const dropChanges = command((tx: WriteTransaction, p: SpreadsheetKey & { version: number }) =>
  tx
    .deleteFrom('spreadsheet_changes')
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id)
    .where('version', '<=', p.version),
);

/** Removes the changes up to a version. */
export async function removeChanges(
  tx: WriteTransaction,
  { workspaceId, id }: SpreadsheetKey,
  upTo: number,
): Promise<void> {
  await dropChanges(tx, { workspaceId, id, version: upTo });
}

const changesAfter = statement((tx, p: SpreadsheetKey & { version: number }) =>
  tx
    .selectFrom('spreadsheet_changes')
    .select('blocks')
    .where('workspace_id', '=', p.workspaceId)
    .where('node_id', '=', p.id)
    .where('version', '>', p.version),
);

/** The blocks that have changed since a version, each once; undefined if there are more than `most`. */
export async function listChangedBlocks(
  tx: ReadTransaction,
  { workspaceId, id }: SpreadsheetKey,
  since: number,
  most: number,
): Promise<SheetBlock[] | undefined> {
  const rows = await changesAfter(tx, { workspaceId, id, version: since });
  const blocks = new Map<string, SheetBlock>();
  for (const row of rows) {
    for (const triple of JSON.parse(row.blocks) as [string, number, number][]) {
      const [sheet, rowBlock, columnBlock] = triple;
      blocks.set(triple.join(), { sheet, rowBlock, columnBlock });
    }
    if (blocks.size > most) return undefined;
  }
  return [...blocks.values()];
}
