import { hash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobsFull, BlobsUnavailable, checkedKey } from '../blob-store.ts';

/** Awaits an operation on the disk; maps its errors to BlobsUnavailable. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
}

/** Maps an error of the disk to an error of the port. */
export function unavailable(error: unknown): BlobsUnavailable {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BlobsFull('The disk is full', { cause: error });
  return new BlobsUnavailable('The disk did not serve', { cause: error });
}

/** Whether the error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** How long synced directories stay open. */
const KEPT_OPEN_MS = 10_000;

const openDirectories = new Map<string, Promise<FileHandle>>();

/**
 * Makes the names in a directory durable. Keeps the directory open between calls: opening and closing it each time
 * costs more than writing a small file.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = openedDirectory(path);
  try {
    await (await directory).sync();
  } catch (error) {
    // After an error the next call opens the directory again, unless another call has already done so.
    if (openDirectories.get(path) === directory) openDirectories.delete(path);
    directory.then((handle) => handle.close()).catch(() => undefined);
    throw error;
  }
}

/** Closes the cached directories; later calls open them again. */
export function closeDirectories(): void {
  for (const directory of openDirectories.values())
    directory.then((handle) => handle.close()).catch(() => undefined);
  openDirectories.clear();
}

function openedDirectory(path: string): Promise<FileHandle> {
  const earlier = openDirectories.get(path);
  if (earlier) return earlier;
  if (openDirectories.size === 0) setTimeout(closeDirectories, KEPT_OPEN_MS).unref();
  const directory = open(path, 'r');
  openDirectories.set(path, directory);
  return directory;
}

const OWNER_ONLY = 0o700;
const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/** The directory of incomplete content. In the same file system as the blobs, so that a rename publishes a blob. */
export function incomingIn(root: string): string {
  return join(root, 'incoming');
}

/** The file in which the parts of a blob are assembled. Unlike incoming content, it outlives the process. */
export function partsPath(root: string, key: string): string {
  return join(partsIn(root), checkedKey(key));
}

/** The directory of all unfinished uploads in parts. */
export function partsIn(root: string): string {
  return join(root, 'parts');
}

/**
 * The path of a blob. Keys are distributed by hash, since most have a common prefix. Throws a TypeError for a bad key.
 */
export function blobPath(root: string, key: string): string {
  return join(root, hash('sha256', checkedKey(key)).slice(0, 2), key);
}

/**
 * Creates all directories of a store durably, so that no write has to create one.
 * `root`: an absolute path.
 */
export async function makeDirectories(root: string): Promise<void> {
  closeDirectories();
  const firstMade = await mkdir(root, { recursive: true, mode: OWNER_ONLY });
  const inside = [incomingIn(root), partsIn(root), ...FOLDERS.map((folder) => join(root, folder))];
  await Promise.all(inside.map((directory) => mkdir(directory, { recursive: true, mode: OWNER_ONLY })));
  await syncDirectory(root);
  if (firstMade !== undefined) await syncParents(root, firstMade);
}

/** A new directory survives a power cut only when its entry in its parent is on disk too. */
async function syncParents(deepest: string, topmost: string): Promise<void> {
  const end = dirname(topmost);
  for (let made = deepest; made !== end; made = dirname(made)) await syncDirectory(dirname(made));
}
