import { constants, existsSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from './config.ts';

/** Makes the data directory, and those above it, where they are missing. Rejects with ConfigError. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeWithParents(dataDir);
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new ConfigError(`ATRIUM_DATA_DIR names no directory that can be written to: "${dataDir}".`, {
      cause,
    });
  }
}

/** Level by level, because Node's own recursion never ends where a directory can have no other in it, as /proc. */
async function makeWithParents(directory: string): Promise<void> {
  if (!existsSync(dirname(directory))) await makeWithParents(dirname(directory));
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (!(await isDirectory(directory))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
