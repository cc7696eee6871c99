import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { ConfigError } from './config.ts';
import { makeDirectory } from './directories.ts';

/** Makes the data directory, and those above it, where they are missing. Rejects with ConfigError. */
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
