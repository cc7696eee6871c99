import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from './config.ts';
import { syncDirectory } from './directories.ts';

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
