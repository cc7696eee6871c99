import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkedKey } from '../blob-store.ts';
import { closeDirectories, syncDirectory } from './directories.ts';

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
