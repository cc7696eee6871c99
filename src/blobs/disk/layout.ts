import { hash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobsFull, BlobsUnavailable, checkedKey } from '../blob-store.ts';

/** Passes the answer on; turns every failure of the disk into BlobsUnavailable. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(error);
  }
}

/** The failure of the disk as the port tells it. */
export function unavailable(error: unknown): BlobsUnavailable {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BlobsFull('The disk is full', { cause: error });
  return new BlobsUnavailable('The disk did not serve', { cause: error });
}

/** Whether it is the file that was not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** How long directories that are synced stay open. */
const KEPT_OPEN_MS = 10_000;

const kept = new Map<string, Promise<FileHandle>>();

/**
 * Makes the names in a directory durable. While files keep coming it stays open: opening and closing it each time costs
 * more than writing a small file.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = keptOpen(path);
  try {
    await (await directory).sync();
  } catch (error) {
    // What cannot be opened or synced is opened anew by the next one; meanwhile another may be there.
    if (kept.get(path) === directory) kept.delete(path);
    directory.then((handle) => handle.close()).catch(() => undefined);
    throw error;
  }
}

/** Whatever is at these paths by now is opened anew. */
export function closeDirectories(): void {
  for (const directory of kept.values()) directory.then((handle) => handle.close()).catch(() => undefined);
  kept.clear();
}

function keptOpen(path: string): Promise<FileHandle> {
  const earlier = kept.get(path);
  if (earlier) return earlier;
  if (kept.size === 0) setTimeout(closeDirectories, KEPT_OPEN_MS).unref();
  const directory = open(path, 'r');
  kept.set(path, directory);
  return directory;
}

const OWNER_ONLY = 0o700;
const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/** Where content is written until it is whole. In the same file system as the blobs, so that a rename publishes it. */
export function incomingIn(root: string): string {
  return join(root, 'incoming');
}

/** Where the parts of a blob are put together; it outlives the process, unlike what is incoming. */
export function partsPath(root: string, key: string): string {
  return join(partsIn(root), checkedKey(key));
}

/** The directory of all blobs that come in parts. */
export function partsIn(root: string): string {
  return join(root, 'parts');
}

/** Where the blob of this key is. Keys are spread by their hash, since most begin alike. Throws a TypeError on a bad key. */
export function blobPath(root: string, key: string): string {
  return join(root, hash('sha256', checkedKey(key)).slice(0, 2), key);
}

/**
 * Makes every directory that a store needs, durably, so that no write has to make one.
 * `root` is an absolute path.
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
