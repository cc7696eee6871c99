import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './config.ts';

/** Writes the key to a file that only its owner can read; durable when it returns. Throws ConfigError. */
export function writeOwnerKey(path: string, key: string): void {
  const incoming = `${path}.new`;
  try {
    rmSync(incoming, { force: true });
    writeDurably(incoming, `${key}\n`);
    renameSync(incoming, path);
    syncDirectory(dirname(path));
  } catch (cause) {
    throw new ConfigError(`ATRIUM_DATA_DIR names a folder that cannot be written: "${dirname(path)}".`, {
      cause,
    });
  }
}

function writeDurably(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A rename is durable only once its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
