import { emitBatch } from '../../storage/changes.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { Cell } from '../../storage/schema/table-rows.ts';
import type { MovedTable } from './moved-tables.ts';
import { placeOf, rowsOfWorkspace } from './workspace-rows.ts';

/** The viewer of changes that are for the search index alone: no user and no audience has this name. */
const INDEX_ONLY = 'search index';

const ROWS_AT_ONCE = 1_000;

/** By kind of node, the type of its change and the name of its ids. */
const KINDS: Readonly<Record<string, readonly [type: string, ids: string]>> = {
  file: ['file.changed', 'file_ids'],
  folder: ['file_folder.changed', 'folder_ids'],
  document: ['document.changed', 'document_ids'],
  spreadsheet: ['spreadsheet.changed', 'spreadsheet_ids'],
};

/** The tables of what the search finds. */
export const SEARCHED = ['messages', 'contacts', 'nodes'];

/**
 * Tells the search index of objects of a workspace that have come or gone without a change: rows of `SEARCHED`, of which it
 * reads `id` and `kind`.
 */
export function tellIndex(
  tx: WriteTransaction,
  { name, columns }: Pick<MovedTable, 'name' | 'columns'>,
  workspaceId: string,
  rows: readonly (readonly Cell[])[],
): void {
  const [id, kind] = [columns.indexOf('id'), columns.indexOf('kind')];
  const byKind = Map.groupBy(rows, (row) => (name === 'nodes' ? String(row[kind]) : name));
  for (const [key, some] of byKind) {
    const [type, list] =
      KINDS[key] ??
      (key === 'messages' ? ['message.created', 'message_ids'] : ['contact.created', 'contact_ids']);
    emitBatch(
      tx,
      { workspaceId, type, viewers: [INDEX_ONLY], ids: {} },
      list,
      some.map((row) => String(row[id])),
    );
  }
}

/** Has the search index of the target find what has come. */
export async function tellIndexOfAll(
  database: Database,
  tables: readonly MovedTable[],
  workspaceId: string,
): Promise<void> {
  for (const table of tables.filter(({ name }) => SEARCHED.includes(name))) {
    const wanted = new Set([...table.key, 'id', 'kind']);
    const narrowed = { ...table, columns: table.columns.filter((column) => wanted.has(column)) };
    for (let after: Cell[] | undefined; ; ) {
      const place = after;
      const rows = await database.write(async (tx) => {
        const some = await rowsOfWorkspace(tx, narrowed, workspaceId, place, ROWS_AT_ONCE);
        tellIndex(tx, narrowed, workspaceId, some);
        return some;
      });
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) break;
      after = placeOf(narrowed, last);
    }
  }
}
