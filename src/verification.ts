import type { Progress } from './archive/backup.ts';
import { CALENDAR_INTEGRITY } from './areas/calendar/integrity-store.ts';
import { CONTACTS_INTEGRITY } from './areas/contacts/integrity-store.ts';
import { DIRECTORY_INTEGRITY } from './areas/directory/integrity-store.ts';
import { DOCUMENTS_INTEGRITY } from './areas/documents/integrity-store.ts';
import { FILES_INTEGRITY } from './areas/files/integrity-store.ts';
import { KEYS_INTEGRITY } from './areas/keys/integrity-store.ts';
import { MAIL_INTEGRITY } from './areas/mail/integrity-store.ts';
import { SPREADSHEETS_INTEGRITY } from './areas/spreadsheets/integrity-store.ts';
import { BlobMissing, type BlobStore, BlobsUnavailable } from './blobs/blob-store.ts';
import { Checksum } from './blobs/checksum.ts';
import { findChecksum } from './blobs/checksum-store.ts';
import type { Database, ReadTransaction } from './storage/database.ts';
import { GROUND_INTEGRITY } from './storage/ground-integrity.ts';
import { findBreach, type IntegrityRule } from './storage/integrity-rule.ts';
import { describeTables, readRows, type TableShape, valueIn } from './storage/table-rows.ts';

/** What must hold among all rows. */
export const RULES: readonly IntegrityRule[] = [
  ...DIRECTORY_INTEGRITY,
  ...KEYS_INTEGRITY,
  ...MAIL_INTEGRITY,
  ...FILES_INTEGRITY,
  ...DOCUMENTS_INTEGRITY,
  ...SPREADSHEETS_INTEGRITY,
  ...CONTACTS_INTEGRITY,
  ...CALENDAR_INTEGRITY,
  ...GROUND_INTEGRITY,
];

/** They name blobs that are not there yet or no longer, or that others name. */
const NAMED_ELSEWHERE = ['pending_blobs', 'blob_checksums', 'upload_sessions', 'upload_parts'];

const ROWS_AT_ONCE = 500;

/** A blob that a row names. */
interface NamedBlob {
  key: string;
  /** Bytes that the row says it has. */
  size: number | undefined;
}

/**
 * Holds everything that is stored against what must hold: references and counts among the rows, and that each blob that
 * a row names can be read to its end and has the bytes that came in. Answers one sentence a problem. The server may go
 * on meanwhile. Rejects with StorageUnavailable, or with BlobsUnavailable where the store serves nothing.
 */
export async function verify(
  { database, blobs }: { database: Database; blobs: BlobStore },
  progress: Progress,
): Promise<string[]> {
  const problems: string[] = [];
  const named = await database.read(async (tx) => {
    problems.length = 0;
    for (const rule of RULES) {
      const breach = await findBreach(tx, rule);
      if (breach) problems.push(`${breach.rule}: not so of ${breach.count}, such as ${breach.example}.`);
    }
    return namedBlobs(tx, progress);
  });
  for (const blob of named) {
    const checksum = await database.read((tx) => findChecksum(tx, blob.key));
    const problem = await problemOf(blobs, { ...blob, checksum }, progress);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function namedBlobs(tx: ReadTransaction, progress: Progress): Promise<NamedBlob[]> {
  const found = new Map<string, NamedBlob>();
  progress.rows = 0;
  for (const shape of (await describeTables(tx)).filter(namesBlobs).map(placesOfBlobs)) {
    for await (const rows of readRows(tx, shape, ROWS_AT_ONCE)) {
      progress.rows += rows.length;
      for (const row of rows) {
        const [key, size] = [valueIn(shape, row, 'blob_key'), valueIn(shape, row, 'size')];
        if (typeof key === 'string')
          found.set(key, { key, size: typeof size === 'number' ? size : undefined });
      }
    }
  }
  return [...found.values()];
}

function namesBlobs({ name, columns }: TableShape): boolean {
  return columns.includes('blob_key') && !NAMED_ELSEWHERE.includes(name);
}

/** The contents themselves are not read. */
function placesOfBlobs(shape: TableShape): TableShape {
  const wanted = [...shape.key, 'blob_key', 'size'];
  return { ...shape, columns: shape.columns.filter((column) => wanted.includes(column)) };
}

/** A blob, and what its bytes came to when they came in. */
interface CheckedBlob extends NamedBlob {
  checksum: number | undefined;
}

async function problemOf(
  blobs: BlobStore,
  { key, size, checksum }: CheckedBlob,
  progress: Progress,
): Promise<string | undefined> {
  const found = new Checksum();
  let read = 0;
  try {
    for await (const chunk of found.of(await blobs.get(key))) read += chunk.length;
  } catch (error) {
    if (error instanceof BlobMissing) return `The blob ${key} is missing.`;
    if (!(error instanceof BlobsUnavailable)) throw error;
    // A store that serves nobody is no problem of each of its blobs.
    await blobs.check();
    return `The blob ${key} cannot be read: ${reasonOf(error)}.`;
  }
  progress.blobs++;
  progress.bytes += read;
  if (size !== undefined && read !== size) return `The blob ${key} has ${read} bytes, and not ${size}.`;
  if (checksum === undefined)
    return `The blob ${key} has no checksum: nobody can tell whether its bytes are those that came in.`;
  return found.value === checksum ? undefined : `The blob ${key} has other bytes than came in.`;
}

function reasonOf({ message, cause }: BlobsUnavailable): string {
  return (cause instanceof Error && cause.message) || message;
}
