import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../database.ts';
import { integerMember, jsonRows, textMember } from '../../query/json-rows.ts';
import type { FolderKey, FolderToGather, GatheredFolder, IndexedObject } from '../full-text-index.ts';
import { below, digestUnder, scopeOf } from '../terms.ts';
import { listed, rowsOf as run } from './rows.ts';

/** Under which shared folders the objects of folders are found, and the folders of which that is to be looked at. */
export const FOLDER_TABLES = [
  sql`create table search_folder_roots (
    workspace_id text collate "C" not null,
    folder text collate "C" not null,
    root text collate "C" not null,
    is_whole boolean not null,
    primary key (workspace_id, folder, root))`,
  sql`create index search_folder_roots_by_root on search_folder_roots (workspace_id, root, folder, is_whole)`,
  // is_named: a change has named the folder, and those in it are due whatever is found.
  sql`create table search_folders_due (
    workspace_id text collate "C" not null,
    folder text collate "C" not null,
    is_named boolean not null,
    primary key (workspace_id, folder))`,
];

/** Notes what objects of folders are found under: a folder is whole while that is so for all of its objects. */
export async function noteFolders(tx: WriteTransaction, objects: readonly IndexedObject[]): Promise<void> {
  for (const { workspaceId, folder } of objects) {
    if (folder === undefined) continue;
    const key = { workspaceId, folderId: folder.id };
    if (await loosen(tx, key, folder.roots)) await addDueFolders(tx, [key], false);
  }
}

/** Returns whether anything was noted otherwise. */
async function loosen(
  tx: WriteTransaction,
  { workspaceId, folderId }: FolderKey,
  roots: readonly string[],
): Promise<boolean> {
  const list = listed(roots);
  const added = await run(
    tx,
    sql`insert into search_folder_roots (workspace_id, folder, root, is_whole)
      select ${workspaceId}, ${folderId}, ${textMember(0)}, false from ${jsonRows(tx, list)}
      on conflict do nothing returning root`,
  );
  const loosened = await run(
    tx,
    sql`update search_folder_roots set is_whole = false
      where workspace_id = ${workspaceId} and folder = ${folderId} and is_whole
        and root not in (select ${textMember(0)} from ${jsonRows(tx, list)}) returning root`,
  );
  return added.length + loosened.length > 0;
}

/** Makes folders due; `isNamed`: those in them as well. */
export async function addDueFolders(
  tx: WriteTransaction,
  keys: readonly FolderKey[],
  isNamed: boolean,
): Promise<void> {
  const rows = JSON.stringify(keys.map(({ workspaceId, folderId }) => [workspaceId, folderId]));
  await run(
    tx,
    sql`insert into search_folders_due (workspace_id, folder, is_named)
      select distinct ${textMember(0)}, ${textMember(1)}, ${isNamed}::boolean from ${jsonRows(tx, rows)}
      on conflict (workspace_id, folder)
        do update set is_named = search_folders_due.is_named or excluded.is_named`,
  );
}

/** A build begins: what is noted is looked at again. */
export async function lookAtAllFolders(tx: WriteTransaction): Promise<void> {
  await run(tx, sql`update search_folder_roots set is_whole = false`);
  await run(
    tx,
    sql`insert into search_folders_due (workspace_id, folder, is_named)
      select distinct workspace_id, folder, false from search_folder_roots on conflict do nothing`,
  );
}

export async function dueFolders(tx: ReadTransaction, limit: number): Promise<FolderKey[]> {
  const rows = await run<{ workspace_id: string; folder: string }>(
    tx,
    sql`select workspace_id, folder from search_folders_due order by workspace_id, folder limit ${limit}`,
  );
  return rows.map(({ workspace_id: workspaceId, folder: folderId }) => ({ workspaceId, folderId }));
}

/**
 * Changes up to `limit` objects of a folder that are found under others than they are to be. Returns how many it changed;
 * fewer than the limit: the folder is done.
 */
export async function gatherFolder(
  tx: WriteTransaction,
  folder: FolderToGather,
  limit: number,
): Promise<number> {
  const { workspaceId, folderId, roots } = folder;
  const isNew = await isOtherThan(tx, folder);
  if (isNew) await loosen(tx, folder, roots);
  let changed = 0;
  for (const side of [sql`<`, sql`>`]) {
    const found = await run<{ place: string; roots: string; digest: string }>(
      tx,
      sql`select place::text as place, roots, digest from search_objects
        where workspace_id = ${workspaceId} and folder = ${folderId} and folder <> ''
          and roots ${side} ${roots.join(' ')} limit ${limit - changed}`,
    );
    for (const [before, some] of Map.groupBy(found, (row) => row.roots)) {
      const places = some.map(({ place }) => place);
      await moveTerms(tx, folder, before === '' ? [] : before.split(' '), places);
    }
    await putRoots(tx, folder, found);
    changed += found.length;
  }
  if (changed < limit) await settle(tx, folder, isNew);
  return changed;
}

async function isOtherThan(
  tx: ReadTransaction,
  { workspaceId, folderId, roots }: FolderToGather,
): Promise<boolean> {
  const noted = await run<{ root: string; is_whole: boolean }>(
    tx,
    sql`select root, is_whole from search_folder_roots
      where workspace_id = ${workspaceId} and folder = ${folderId} order by root`,
  );
  const whole = noted.filter(({ is_whole }) => is_whole).map(({ root }) => root);
  return noted.length !== roots.length || whole.join(' ') !== roots.join(' ');
}

/** The terms of objects of one folder under its shared folders, as they stand under the folder itself. */
async function moveTerms(
  tx: WriteTransaction,
  { workspaceId, folderId, roots }: FolderToGather,
  before: readonly string[],
  places: readonly string[],
): Promise<void> {
  const those = sql`any(array(select ${integerMember(0)} from ${jsonRows(tx, listed(places))}))`;
  for (const root of before.filter((id) => !roots.includes(id)))
    await run(
      tx,
      sql`delete from search_terms where workspace_id = ${workspaceId}
        and scope = ${scopeOf(workspaceId, below(root))} and place = ${those}`,
    );
  for (const root of roots.filter((id) => !before.includes(id))) {
    const scope = scopeOf(workspaceId, below(root));
    await run(
      tx,
      sql`insert into search_terms (workspace_id, scope, place, part, parts, terms)
        select workspace_id, ${scope}, place, part, parts,
          array_to_tsvector(array(select ${scope}::text || substr(t.term, ${scope.length + 1})
            from unnest(tsvector_to_array(terms)) as t(term)))
        from search_terms where workspace_id = ${workspaceId} and scope = ${scopeOf(workspaceId, folderId)}
          and place = ${those}
        on conflict do nothing`,
    );
  }
}

async function putRoots(
  tx: WriteTransaction,
  { workspaceId, roots }: FolderToGather,
  objects: readonly { place: string; digest: string }[],
): Promise<void> {
  const rows = objects.map(({ place, digest }) => [place, digestUnder(digest, roots)]);
  await run(
    tx,
    sql`update search_objects as o set roots = ${roots.join(' ')}, digest = ${textMember(1)}
      from ${jsonRows(tx, JSON.stringify(rows))}
      where o.workspace_id = ${workspaceId} and o.place = ${integerMember(0)}`,
  );
}

/** All objects of a folder are found under its shared folders, and under no others. */
async function settle(
  tx: WriteTransaction,
  { workspaceId, folderId, roots, below: inside, isGone }: FolderToGather,
  isNew: boolean,
): Promise<void> {
  const own = sql`workspace_id = ${workspaceId} and folder = ${folderId}`;
  // What lay in a folder that is gone may be gone as well, and nobody names it any more.
  if (isGone)
    await run(
      tx,
      sql`insert into search_folders_due (workspace_id, folder, is_named)
        select distinct workspace_id, folder, false from search_folder_roots
        where workspace_id = ${workspaceId} and folder <> ${folderId}
          and root in (select root from search_folder_roots where ${own})
        on conflict do nothing`,
    );
  await run(
    tx,
    sql`delete from search_folder_roots where ${own}
      and root not in (select ${textMember(0)} from ${jsonRows(tx, listed(roots))})`,
  );
  await run(tx, sql`update search_folder_roots set is_whole = true where ${own} and not is_whole`);
  const [due] = await run<{ is_named: boolean }>(
    tx,
    sql`delete from search_folders_due where ${own} returning is_named`,
  );
  if (isNew || due?.is_named)
    await addDueFolders(
      tx,
      inside.map((id) => ({ workspaceId, folderId: id })),
      false,
    );
}

export async function foldersUnder(
  tx: ReadTransaction,
  workspaceId: string,
  roots: readonly string[],
): Promise<GatheredFolder[]> {
  if (roots.length === 0) return [];
  const rows = await run<{ root: string; folder: string; is_whole: boolean }>(
    tx,
    sql`select root, folder, is_whole from search_folder_roots
      where workspace_id = ${workspaceId}
        and root = any(array(select ${textMember(0)} from ${jsonRows(tx, listed(roots))}))`,
  );
  return rows.map(({ root, folder, is_whole: isWhole }) => ({ root, folder, isWhole }));
}

/** A sentence about a folder that is noted as whole, and an object of it that is not found under its shared folder. */
export async function wronglyGathered(tx: ReadTransaction): Promise<string[]> {
  const [row] = await run<{ id: string }>(
    tx,
    sql`select o.id from search_folder_roots as f
      join search_objects as o on o.workspace_id = f.workspace_id and o.folder = f.folder
      where f.is_whole and o.folder <> '' and strpos(o.roots, f.root) = 0 limit 1`,
  );
  return row
    ? [`The full-text index does not find ${row.id} in a shared folder; make it anew: atrium search rebuild.`]
    : [];
}
