import { existsSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents, accessible only to their owner; durable when it returns. Rejects with
 * the errors of the system. It creates one level at a time, because the recursion of Node.js never ends where no
 * directory can be created, as in /proc.
 */
export async function makeDirectory(directory: string): Promise<void> {
  if (!existsSync(dirname(directory))) await makeDirectory(dirname(directory));
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (await isDirectory(directory)) return;
    throw error;
  }
  await syncDirectory(dirname(directory));
}

/** Makes the names of the files and directories in a directory durable. Rejects with the errors of the system. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
