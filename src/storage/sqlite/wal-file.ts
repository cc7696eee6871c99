import { fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The write-ahead log as a file: SQLite writes it, we make it durable. */
export interface WalFile {
  /** Resolves when all that was written before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncInThreadPool = promisify(fdatasync);

/** Opens the log of the database at `path`, which a connection to it has already made. */
export async function openWalFile(path: string): Promise<WalFile> {
  // Closing a file drops the process's locks on it; SQLite keeps its locks on the other two files, never on the log.
  const file = await open(`${path}-wal`, 'r');
  return { sync: () => syncInThreadPool(file.fd), close: () => file.close() };
}
