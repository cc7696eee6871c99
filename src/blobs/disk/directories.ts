import { type FileHandle, open } from 'node:fs/promises';

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
