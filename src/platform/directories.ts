import { existsSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory for its owner alone, and those above it, where they are missing; durable when it returns. Rejects as
 * the system does. Level by level, because Node's own recursion never ends where a directory can have no other in it, as
 * /proc.
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

/** Makes the names of the files and directories in a directory durable. Rejects as the system does. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
