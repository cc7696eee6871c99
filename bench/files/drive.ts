import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { createFileFolder } from '../../src/areas/drive/file-folders.ts';
import type { NodeRow } from '../../src/areas/drive/node-store.ts';
import type { DriveOwner } from '../../src/areas/drive/service.ts';
import { newId } from '../../src/platform/ids.ts';
import { gramsOf } from '../../src/text/grams.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';
import { fileRow } from './node-rows.ts';

const LARGE = 64 * 1024 * 1024;
const A_TRANSACTION = 500_000;
/** Behind the number of the folder. */
const FIRST_NUMBER = 2;

/** A copy of the large file's bytes, in the data directory. */
export const LARGE_FILE = 'large.bin';

/**
 * A data directory with a drive of so many files without bytes, all in one folder, and a large one at the root; the
 * files are written straight into the tables, in the order of their keys.
 */
export function driveDirectory(files: number): Promise<string> {
  return mailboxDirectory(`drive-of-${files}`, async ({ database, files: drive, blobs }, owner, dataDir) => {
    const folder = await database.write((tx) =>
      createFileFolder(tx, drive.rights, owner, { name: 'Minutes' }),
    );
    const { id } = JSON.parse(folder.text) as { id: string };
    const db = new DatabaseSync(join(dataDir, 'atrium.sqlite'));
    try {
      db.exec('pragma synchronous = off; pragma cache_size = -500000');
      insertAll(db, owner, id, files);
    } finally {
      db.close();
    }
    const bytes = randomBytes(LARGE);
    await writeFile(join(dataDir, LARGE_FILE), bytes);
    const blobKey = newId('blob');
    await blobs.put(blobKey, Readable.from([bytes]));
    const large = { filename: LARGE_FILE, mimeType: 'application/octet-stream', size: LARGE, folderId: '' };
    await database.write((tx) => drive.createFile(tx, owner, { ...large, blobKey }));
  });
}

function insertAll(db: DatabaseSync, owner: DriveOwner, folderId: string, files: number): void {
  const rows = Array.from({ length: files }, (_, i) => {
    const title = `Minutes of meeting ${i}, as they were agreed upon.pdf`;
    return fileRow(owner, { folderId, number: FIRST_NUMBER + i, title });
  });
  const columns = Object.keys(rows[0] ?? {}) as (keyof NodeRow)[];
  const insert = db.prepare(
    `insert into nodes (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const insertFile = db.prepare(
    `insert into files (workspace_id, node_id, filename, mime_type, size) values (?, ?, ?, 'application/pdf', 0)`,
  );
  db.exec('begin');
  for (const row of rows) {
    insert.run(...columns.map((column) => row[column]));
    insertFile.run(row.workspace_id, row.id, row.title);
  }
  db.exec('commit');
  insertGrams(db, owner, rows);
}

function insertGrams(db: DatabaseSync, { workspaceId, userId }: DriveOwner, rows: readonly NodeRow[]): void {
  const holders = new Map<string, NodeRow[]>();
  for (const row of rows) {
    for (const gram of gramsOf(row.search_text)) {
      const found = holders.get(gram);
      if (found) found.push(row);
      else holders.set(gram, [row]);
    }
  }
  const insert = db.prepare(`insert into node_grams (workspace_id, principal_id, kind, gram, place, number)
    values (?, ?, 'file', ?, ?, ?)`);
  let inserted = 0;
  db.exec('begin');
  for (const gram of [...holders.keys()].sort()) {
    for (const { place, number } of (holders.get(gram) ?? []).sort(byPlace)) {
      insert.run(workspaceId, userId, gram, place, number);
      if (++inserted % A_TRANSACTION === 0) db.exec('commit; begin');
    }
  }
  db.exec('commit');
}

function byPlace(a: NodeRow, b: NodeRow): number {
  return a.place < b.place ? -1 : 1;
}
