import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import type { BlobStore } from '../blobs/blob-store.ts';
import { makeDirectory } from '../make-directory.ts';
import type { Database, ReadTransaction } from '../storage/database.ts';
import { type Cell, describeTables, readRows, type TableShape, valueIn } from '../storage/table-rows.ts';
import { syncDirectory } from '../sync-directory.ts';
import { VERSION } from '../version.ts';
import { ArchiveError } from './archive-error.ts';
import { lineOf } from './archived-rows.ts';
import {
  blobListPath,
  blobPath,
  blobsDirectory,
  manifestPath,
  tablePath,
  tablesDirectory,
} from './layout.ts';
import { LineFile } from './line-file.ts';
import type { ArchivedBlob, ArchivedTable, Manifest } from './manifest.ts';

/** What is kept, or was found good, so far. */
export interface Progress {
  rows: number;
  blobs: number;
  bytes: number;
}

type Storage = { readonly database: Database; readonly blobs: BlobStore };

/**
 * Left out: the steps of the schema, which the manifest names, and what is on its way in. Whoever was uploading begins
 * again; everything that was answered with a yes is there.
 */
const LEFT_OUT = ['migrations', 'pending_blobs', 'upload_sessions', 'upload_parts'];

const ROWS_AT_ONCE = 200;
const BLOBS_AT_ONCE = 4;
const OWNER_ONLY = { file: 0o600, directory: 0o700 };

/**
 * Makes a backup of everything in a directory, which must be empty or new: all rows as of one moment, while others go
 * on writing, and then the blobs that they name, which nobody changes or removes. It is whole once this resolves.
 * Rejects with ArchiveError, StorageUnavailable, BlobsUnavailable or BlobMissing.
 */
export async function backUp(
  { database, blobs }: Storage,
  directory: string,
  progress: Progress,
): Promise<Manifest> {
  try {
    await makeDirectories(directory);
    return await copyEverything({ database, blobs }, directory, progress);
  } catch (error) {
    throw isFull(error) ? noRoom(directory, error) : error;
  }
}

function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function noRoom(directory: string, cause: unknown): ArchiveError {
  const message = `There is no room in ${directory}: what is there is no backup. Remove it, and name a place with more.`;
  return new ArchiveError(message, { cause });
}

async function copyEverything(
  { database, blobs }: Storage,
  directory: string,
  progress: Progress,
): Promise<Manifest> {
  const { tables, migrations, keys } = await database.read((tx) => copyRows(tx, directory, progress));
  const copied = await copyBlobs(blobs, directory, keys, progress);
  const manifest: Manifest = {
    product: 'atrium',
    format: 1,
    version: VERSION,
    created_at: new Date().toISOString(),
    migrations,
    tables,
    blobs: copied,
  };
  await publish(directory, manifest);
  return manifest;
}

async function makeDirectories(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
  } catch (cause) {
    throw new ArchiveError(`${directory} cannot be made a directory. Name a place where you may write.`, {
      cause,
    });
  }
  if ((await readdir(directory)).length > 0)
    throw new ArchiveError(`${directory} is not empty. Name a directory of its own for each backup.`);
  for (const path of [tablesDirectory(directory), blobsDirectory(directory)])
    await mkdir(path, { mode: OWNER_ONLY.directory });
}

interface CopiedRows {
  tables: ArchivedTable[];
  migrations: string[];
  /** Of every blob that a row names. */
  keys: Set<string>;
}

/** May run again from its beginning, as every transaction. */
async function copyRows(tx: ReadTransaction, directory: string, progress: Progress): Promise<CopiedRows> {
  const keys = new Set<string>();
  progress.rows = 0;
  const tables: ArchivedTable[] = [];
  const shapes = await describeTables(tx);
  for (const shape of shapes.filter(({ name }) => !LEFT_OUT.includes(name))) {
    const onRows = (rows: readonly Cell[][]) => {
      progress.rows += rows.length;
      for (const key of rows.map((row) => valueIn(shape, row, 'blob_key')))
        if (key !== null) keys.add(String(key));
    };
    tables.push(await copyTable(tx, shape, directory, onRows));
  }
  return { tables, migrations: await appliedMigrations(tx, shapes), keys };
}

async function copyTable(
  tx: ReadTransaction,
  shape: TableShape,
  directory: string,
  onRows: (rows: readonly Cell[][]) => void,
): Promise<ArchivedTable> {
  const file = await LineFile.create(tablePath(directory, shape.name));
  try {
    for await (const rows of readRows(tx, shape, ROWS_AT_ONCE)) {
      onRows(rows);
      await file.write(rows.map(lineOf));
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  const { lines, sha256 } = await file.close();
  return { name: shape.name, columns: [...shape.columns], bytes: [...shape.bytes], rows: lines, sha256 };
}

async function appliedMigrations(tx: ReadTransaction, shapes: readonly TableShape[]): Promise<string[]> {
  const shape = shapes.find(({ name }) => name === 'migrations');
  if (!shape) throw new ArchiveError('The database has no tables yet: there is nothing to back up.');
  const steps: string[] = [];
  for await (const rows of readRows(tx, shape, ROWS_AT_ONCE))
    steps.push(...rows.map((row) => String(valueIn(shape, row, 'name'))));
  return steps;
}

async function copyBlobs(
  blobs: BlobStore,
  directory: string,
  keys: ReadonlySet<string>,
  progress: Progress,
): Promise<Manifest['blobs']> {
  const list = await LineFile.create(blobListPath(directory));
  const waiting = keys.values();
  const copyOn = async () => {
    for (const key of waiting) {
      const copied = await copyBlob(blobs, directory, key);
      progress.blobs++;
      progress.bytes += copied.size;
      await list.write([copied]);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: BLOBS_AT_ONCE }, copyOn));
  const { lines, sha256 } = await list.close();
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return { count: lines, bytes: progress.bytes, sha256 };
}

async function copyBlob(blobs: BlobStore, directory: string, key: string): Promise<ArchivedBlob> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(blobPath(directory, key), 'wx', OWNER_ONLY.file);
  try {
    for await (const chunk of await blobs.get(key)) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { key, size, sha256: hash.digest('hex') };
}

/** The manifest comes last, and whole: it makes a backup of the directory. */
async function publish(directory: string, manifest: Manifest): Promise<void> {
  const path = manifestPath(directory);
  const file = await open(`${path}.incoming`, 'w', OWNER_ONLY.file);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  for (const filled of [tablesDirectory(directory), blobsDirectory(directory)]) await syncDirectory(filled);
  await rename(`${path}.incoming`, path);
  await syncDirectory(directory);
}
