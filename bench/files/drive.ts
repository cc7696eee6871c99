import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriveOwner, NewFile } from '../../src/areas/files/service.ts';
import { newId } from '../../src/ids.ts';
import type { Product } from '../../src/product.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';

const FILES = 5_000;
const AT_ONCE = 100;
const LARGE = 64 * 1024 * 1024;

/** A copy of the large file's bytes, in the data directory. */
export const LARGE_FILE = 'large.bin';

/** A data directory with a drive of many files without bytes, and a large one. */
export function driveDirectory(): Promise<string> {
  return mailboxDirectory(`drive-${FILES}`, async (product, owner, dataDir) => {
    for (let i = 0; i < FILES; i += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => createFile(product, owner, draft(i + k))));
    }
    const bytes = randomBytes(LARGE);
    await writeFile(join(dataDir, LARGE_FILE), bytes);
    const blobKey = newId('blob');
    await product.blobs.put(blobKey, chunked(bytes));
    await createFile(product, owner, { ...draft(FILES), filename: LARGE_FILE, size: LARGE, blobKey });
  });
}

async function createFile({ database, files }: Product, owner: DriveOwner, file: NewFile): Promise<void> {
  await database.write((tx) => files.createFile(tx, owner, file));
}

function draft(i: number): NewFile {
  const filename = `Minutes of meeting ${i}, as they were agreed upon.pdf`;
  return { filename, mimeType: 'application/pdf', size: 0, blobKey: null, folderId: '' };
}

async function* chunked(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
