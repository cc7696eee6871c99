import { constants } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectory } from '../platform/directories.ts';
import { type Config, ConfigError } from './config.ts';

/** Creates the data directory and its missing parents. Rejects with ConfigError. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeDirectory(dataDir);
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new ConfigError(`ATRIUM_DATA_DIR names no directory that can be written to: "${dataDir}".`, {
      cause,
    });
  }
}

/** The file of the first owner's key, if it was generated. */
export function ownerKeyPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'owner-key');
}

/** Writes the key to a file that only its owner can read; durable when it returns. Rejects with ConfigError. */
export async function writeOwnerKey(path: string, key: string): Promise<void> {
  const incoming = `${path}.new`;
  try {
    await rm(incoming, { force: true });
    await writeDurably(incoming, `${key}\n`);
    await rename(incoming, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw new ConfigError(`ATRIUM_DATA_DIR names a folder that cannot be written: "${dirname(path)}".`, {
      cause,
    });
  }
}

async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
