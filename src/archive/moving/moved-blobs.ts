import { BlobMissing, type BlobStore } from '../../blobs/blob-store.ts';
import { Checksum, findChecksum, saveChecksum } from '../../blobs/checksum.ts';
import { insertPending, removePendingAnywhere } from '../../blobs/pending-store.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import type { Progress } from '../manifest.ts';
import { damageOf, ownersOf, type ReferencedBlob, ReferencedBlobs } from '../referenced-blobs.ts';
import type { MovedTable } from './moved-tables.ts';
import { placeOf, rowsOfWorkspace } from './workspace-rows.ts';

/** One side of a move. */
export interface Side {
  readonly database: Database;
  readonly blobs: BlobStore;
}

const ROWS_AT_ONCE = 1_000;
const BLOBS_AT_ONCE = 4;
/** Blobs that are noted in one transaction. */
const NOTED_AT_ONCE = 100;

/** The blobs that rows of a workspace name. */
export async function blobsOfWorkspace(
  database: Database,
  tables: readonly MovedTable[],
  workspaceId: string,
): Promise<readonly ReferencedBlob[]> {
  const referenced = new ReferencedBlobs();
  for (const table of tables) {
    const owner = ReferencedBlobs.ownerIn(table.name);
    if (!owner) continue;
    const wanted = new Set([...table.key, ...owner.columns, 'blob_key', 'size', table.workspaceColumn]);
    const narrowed = { ...table, columns: table.columns.filter((column) => wanted.has(column)) };
    for (let after: ReturnType<typeof placeOf> | undefined; ; ) {
      const place = after;
      const rows = await database.read((tx) =>
        rowsOfWorkspace(tx, narrowed, workspaceId, place, ROWS_AT_ONCE),
      );
      referenced.add(narrowed, rows);
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) break;
      after = placeOf(narrowed, last);
    }
  }
  return referenced.all;
}

/** Where blobs of a workspace go. */
interface BlobsMove {
  readonly source: Side;
  readonly target: Side;
  readonly workspaceId: string;
}

/**
 * Copies the blobs that the target lacks, and notes them there as being written: those that no row comes for are removed by
 * the target's server. Returns one sentence for each that the source has lost or damaged.
 */
export async function copyBlobsAhead(
  { source, target, workspaceId }: BlobsMove,
  blobs: readonly ReferencedBlob[],
  progress: Progress,
): Promise<string[]> {
  const problems: string[] = [];
  for (let i = 0; i < blobs.length; i += NOTED_AT_ONCE) {
    const some = blobs.slice(i, i + NOTED_AT_ONCE);
    await note(target.database, workspaceId, some);
    const waiting = some.values();
    const copyWaiting = async () => {
      for (const blob of waiting) {
        const problem = await copyBlob(source, target, blob, progress);
        if (problem !== undefined) problems.push(problem);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: BLOBS_AT_ONCE }, copyWaiting));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  }
  return problems;
}

async function note(
  database: Database,
  workspaceId: string,
  blobs: readonly ReferencedBlob[],
): Promise<void> {
  await database.write(async (tx) => {
    for (const { key } of blobs) await removePendingAnywhere(tx, key);
    await insertPending(
      tx,
      workspaceId,
      blobs.map(({ key }) => key),
      await tx.now(),
    );
  });
}

async function copyBlob(
  source: Side,
  target: Side,
  blob: ReferencedBlob,
  progress: Progress,
): Promise<string | undefined> {
  if (await hasBlob(target.blobs, blob.key)) return undefined;
  const checksum = new Checksum();
  try {
    const { size } = await target.blobs.put(blob.key, checksum.of(await source.blobs.get(blob.key)));
    progress.blobs++;
    progress.bytes += size;
    const stored = await source.database.read((tx) => findChecksum(tx, blob.key));
    const damage = damageOf(blob, stored, { size, checksum: checksum.value });
    return damage && sentenceOf(source.database, blob, `${damage}, and is moved as it is`);
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error;
    return sentenceOf(source.database, blob, 'is missing');
  }
}

async function sentenceOf(database: Database, blob: ReferencedBlob, what: string): Promise<string> {
  const owners = await database.read((tx) => ownersOf(tx, blob));
  return `The blob ${blob.key} ${what}; it is that of ${owners.join(', ')}.`;
}

async function hasBlob(blobs: BlobStore, key: string): Promise<boolean> {
  try {
    (await blobs.get(key, { start: 0, end: 1 })).destroy();
    return true;
  } catch (error) {
    if (error instanceof BlobMissing) return false;
    throw error;
  }
}

/** Takes the notes of copied blobs back, and keeps their checksums: rows come for them. */
export async function keepBlobs(
  { source, target, workspaceId }: BlobsMove,
  blobs: readonly ReferencedBlob[],
): Promise<void> {
  for (let i = 0; i < blobs.length; i += NOTED_AT_ONCE) {
    const some = blobs.slice(i, i + NOTED_AT_ONCE);
    const checksums = await source.database.read((tx) => checksumsOf(tx, some));
    await target.database.write(async (tx) => {
      for (const { key } of some) {
        await removePendingAnywhere(tx, key);
        const checksum = checksums.get(key);
        const isKnown = (await findChecksum(tx, key)) !== undefined;
        if (checksum !== undefined && !isKnown)
          await saveChecksum(tx, { workspaceId, blobKey: key }, checksum);
      }
    });
  }
}

async function checksumsOf(
  tx: ReadTransaction,
  blobs: readonly ReferencedBlob[],
): Promise<Map<string, number>> {
  const checksums = new Map<string, number>();
  for (const { key } of blobs) {
    const checksum = await findChecksum(tx, key);
    if (checksum !== undefined) checksums.set(key, checksum);
  }
  return checksums;
}
