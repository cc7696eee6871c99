import type { FolderKey, FolderToGather, GatheredFolder } from '../full-text-index.ts';

/** What a statement takes and gives. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** The statements of an index file. */
export interface IndexRows {
  all(text: string, ...values: SqlValue[]): Record<string, unknown>[];
  run(text: string, ...values: SqlValue[]): void;
}

/** Under which shared folders the objects of folders are found, and the folders of which that is to be looked at. */
export const FOLDER_TABLES = `
  create table folder_roots (
    workspace_id text not null,
    folder text not null,
    root text not null,
    is_whole integer not null,
    primary key (workspace_id, folder, root)
  ) strict, without rowid;
  create index folder_roots_by_root on folder_roots (workspace_id, root, folder, is_whole);
  create table folders_due (
    workspace_id text not null,
    folder text not null,
    -- 1 for a folder that a change has named: those in it are due whatever is found.
    is_named integer not null,
    primary key (workspace_id, folder)
  ) strict, without rowid;`;

/** Notes what an object of a folder is found under: a folder is whole while that is so for all of them. */
export function noteFolder(rows: IndexRows, key: FolderKey, roots: readonly string[]): void {
  if (loosen(rows, key, roots)) addDueFolders(rows, [key], false);
}

/** Returns whether anything was noted otherwise. */
function loosen(rows: IndexRows, { workspaceId, folderId }: FolderKey, roots: readonly string[]): boolean {
  const list = JSON.stringify(roots);
  const added = rows.all(
    `insert into folder_roots (workspace_id, folder, root, is_whole) select ?, ?, e.value, 0 from json_each(?) as e
      where true on conflict do nothing returning root`,
    workspaceId,
    folderId,
    list,
  );
  const loosened = rows.all(
    `update folder_roots set is_whole = 0 where workspace_id = ? and folder = ? and is_whole = 1
      and root not in (select e.value from json_each(?) as e) returning root`,
    workspaceId,
    folderId,
    list,
  );
  return added.length + loosened.length > 0;
}

/** Makes folders due; `isNamed`: those in them as well. */
export function addDueFolders(rows: IndexRows, keys: readonly FolderKey[], isNamed: boolean): void {
  rows.run(
    `insert into folders_due (workspace_id, folder, is_named)
      select e.value ->> 0, e.value ->> 1, ? from json_each(?) as e where true
      on conflict do update set is_named = max(is_named, excluded.is_named)`,
    isNamed ? 1 : 0,
    JSON.stringify(keys.map(({ workspaceId, folderId }) => [workspaceId, folderId])),
  );
}

/** A build begins: what is noted is looked at again. */
export function lookAtAllFolders(rows: IndexRows): void {
  rows.run('update folder_roots set is_whole = 0');
  rows.run(
    `insert into folders_due (workspace_id, folder, is_named) select distinct workspace_id, folder, 0 from folder_roots
      where true on conflict do nothing`,
  );
}

export function dueFolders(rows: IndexRows, limit: number): FolderKey[] {
  return rows
    .all('select workspace_id, folder from folders_due order by workspace_id, folder limit ?', limit)
    .map(({ workspace_id, folder }) => ({ workspaceId: String(workspace_id), folderId: String(folder) }));
}

/**
 * Lets `put` change up to `limit` objects of a folder that are found under others than they are to be. Returns how many
 * it changed; fewer than the limit: the folder is done.
 */
export function gatherFolder(
  rows: IndexRows,
  folder: FolderToGather,
  limit: number,
  put: (place: bigint) => void,
): number {
  const { workspaceId, folderId, roots } = folder;
  const isNew = isOtherThan(rows, folder);
  if (isNew) loosen(rows, folder, roots);
  let changed = 0;
  for (const side of ['<', '>']) {
    const found = rows.all(
      `select place from objects where workspace_id = ? and folder = ? and folder <> '' and roots ${side} ? limit ?`,
      workspaceId,
      folderId,
      roots.join(' '),
      limit - changed,
    );
    for (const { place } of found) put(place as bigint);
    changed += found.length;
  }
  if (changed < limit) settle(rows, folder, isNew);
  return changed;
}

function isOtherThan(rows: IndexRows, { workspaceId, folderId, roots }: FolderToGather): boolean {
  const noted = rows.all(
    'select root, is_whole from folder_roots where workspace_id = ? and folder = ? order by root',
    workspaceId,
    folderId,
  );
  const whole = noted.filter(({ is_whole }) => Number(is_whole) === 1).map(({ root }) => String(root));
  return noted.length !== roots.length || whole.join(' ') !== roots.join(' ');
}

/** All objects of a folder are found under its shared folders, and under no others. */
function settle(
  rows: IndexRows,
  { workspaceId, folderId, roots, below, isGone }: FolderToGather,
  isNew: boolean,
): void {
  // What lay in a folder that is gone may be gone as well, and nobody names it any more.
  if (isGone)
    rows.run(
      `insert into folders_due (workspace_id, folder, is_named)
        select distinct workspace_id, folder, 0 from folder_roots where workspace_id = ?1 and folder <> ?2
          and root in (select root from folder_roots where workspace_id = ?1 and folder = ?2)
        on conflict do nothing`,
      workspaceId,
      folderId,
    );
  const list = JSON.stringify(roots);
  rows.run(
    `delete from folder_roots where workspace_id = ? and folder = ? and root not in (select e.value from json_each(?) as e)`,
    workspaceId,
    folderId,
    list,
  );
  rows.run(
    'update folder_roots set is_whole = 1 where workspace_id = ? and folder = ?',
    workspaceId,
    folderId,
  );
  const [due] = rows.all(
    'delete from folders_due where workspace_id = ? and folder = ? returning is_named',
    workspaceId,
    folderId,
  );
  if (isNew || Number(due?.is_named ?? 0) === 1)
    addDueFolders(
      rows,
      below.map((id) => ({ workspaceId, folderId: id })),
      false,
    );
}

export function foldersUnder(
  rows: IndexRows,
  workspaceId: string,
  roots: readonly string[],
): GatheredFolder[] {
  if (roots.length === 0) return [];
  return rows
    .all(
      `select f.root, f.folder, f.is_whole from json_each(?) as e
        cross join folder_roots as f where f.workspace_id = ? and f.root = e.value`,
      JSON.stringify(roots),
      workspaceId,
    )
    .map(({ root, folder, is_whole }) => ({
      root: String(root),
      folder: String(folder),
      isWhole: Number(is_whole) === 1,
    }));
}

/** A sentence about a folder that is noted as whole, and an object of it that is not found under its shared folder. */
export function wronglyGathered(rows: IndexRows): string[] {
  const [row] = rows.all(
    `select o.id from folder_roots as f join objects as o on o.workspace_id = f.workspace_id and o.folder = f.folder
      where f.is_whole = 1 and o.folder <> '' and instr(o.roots, f.root) = 0 limit 1`,
  );
  return row
    ? [`The full-text index does not find ${row.id} in a shared folder; make it anew: atrium search rebuild.`]
    : [];
}
