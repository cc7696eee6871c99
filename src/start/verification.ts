import type { Progress } from '../archive/manifest.ts';
import { damageOf, ownersOf, type ReferencedBlob, ReferencedBlobs } from '../archive/referenced-blobs.ts';
import { CALENDAR_INTEGRITY } from '../areas/calendar/integrity-store.ts';
import { CHANGES_INTEGRITY } from '../areas/changes/integrity-store.ts';
import { CONTACTS_INTEGRITY } from '../areas/contacts/integrity-store.ts';
import { DIRECTORY_INTEGRITY } from '../areas/directory/integrity-store.ts';
import { DOCUMENTS_INTEGRITY } from '../areas/documents/integrity-store.ts';
import { FILES_INTEGRITY } from '../areas/drive/integrity-store.ts';
import { KEYS_INTEGRITY } from '../areas/keys/integrity-store.ts';
import { MAIL_INTEGRITY } from '../areas/mail/integrity-store.ts';
import { type ComparedIndex, problemsOfIndex } from '../areas/search/index-problems.ts';
import { SPREADSHEETS_INTEGRITY } from '../areas/spreadsheets/integrity-store.ts';
import { BlobMissing, type BlobStore, BlobsUnavailable } from '../blobs/blob-store.ts';
import { Checksum, findChecksum } from '../blobs/checksum.ts';
import type { Database, ReadTransaction } from '../storage/database.ts';
import {
  findBreach,
  GROUND_INTEGRITY,
  type IntegrityRule,
  type WorkspaceRule,
} from '../storage/schema/integrity-rule.ts';
import { ownTables } from '../storage/schema/own-tables.ts';
import { countRows, readRows, type TableShape } from '../storage/schema/table-rows.ts';

/** The integrity rules of all areas. */
export const RULES: readonly (IntegrityRule | WorkspaceRule)[] = [
  ...DIRECTORY_INTEGRITY,
  ...KEYS_INTEGRITY,
  ...MAIL_INTEGRITY,
  ...FILES_INTEGRITY,
  ...DOCUMENTS_INTEGRITY,
  ...SPREADSHEETS_INTEGRITY,
  ...CONTACTS_INTEGRITY,
  ...CALENDAR_INTEGRITY,
  ...CHANGES_INTEGRITY,
  ...GROUND_INTEGRITY,
];

const ROWS_AT_ONCE = 500;

/**
 * Verifies everything that is stored: the references and counts of the rows, and that each referenced blob can be
 * read to its end and has its original bytes; then, of sound data, the full-text index. Returns one sentence per problem. The server may keep running. Rejects
 * with StorageUnavailable, or with BlobsUnavailable where the store serves no request.
 */
export async function verify(
  { database, blobs, ...search }: { database: Database; blobs: BlobStore } & ComparedIndex,
  progress: Progress,
): Promise<string[]> {
  progress.rows = await database.read(countAllRows);
  const problems = await brokenRules(database);
  for (const blob of await database.read(referencedBlobs)) {
    const checksum = await database.read((tx) => findChecksum(tx, blob.key));
    const problem = await problemOf(blobs, blob, checksum, progress);
    if (problem === undefined) continue;
    const owners = await database.read((tx) => ownersOf(tx, blob));
    problems.push(`The blob ${blob.key} ${problem}; it is that of ${owners.join(', ')}.`);
  }
  if (problems.length === 0) problems.push(...(await problemsOfIndex(search)));
  return problems;
}

/** Checks the rows against the rules. Returns one sentence for each broken rule. Rejects with StorageUnavailable. */
export async function brokenRules(database: Database): Promise<string[]> {
  return database.read(async (tx) => {
    const problems: string[] = [];
    for (const rule of RULES) {
      const breach = await findBreach(tx, rule);
      if (breach) problems.push(`${breach.rule}: not so of ${breach.count}, such as ${breach.example}.`);
    }
    return problems;
  });
}

async function countAllRows(tx: ReadTransaction): Promise<number> {
  let count = 0;
  for (const shape of await ownTables(tx)) count += await countRows(tx, shape);
  return count;
}

async function referencedBlobs(tx: ReadTransaction): Promise<readonly ReferencedBlob[]> {
  const referenced = new ReferencedBlobs();
  for (const shape of await ownTables(tx)) {
    const owner = ReferencedBlobs.ownerIn(shape.name);
    if (!owner) continue;
    const narrowed = narrowedTo(shape, [...owner.columns, 'blob_key', 'size']);
    for await (const rows of readRows(tx, narrowed, ROWS_AT_ONCE)) referenced.add(narrowed, rows);
  }
  return referenced.all;
}

/** The shape with its key and the wanted columns only: the contents of rows are not read. */
function narrowedTo(shape: TableShape, wanted: readonly string[]): TableShape {
  const isRead = (column: string) => shape.key.includes(column) || wanted.includes(column);
  return { ...shape, columns: shape.columns.filter(isRead) };
}

/** The problem of a blob; `checksum` was computed when its bytes were stored. */
async function problemOf(
  blobs: BlobStore,
  blob: ReferencedBlob,
  checksum: number | undefined,
  progress: Progress,
): Promise<string | undefined> {
  const found = new Checksum();
  let read = 0;
  try {
    for await (const chunk of found.of(await blobs.get(blob.key))) read += chunk.length;
  } catch (error) {
    if (error instanceof BlobMissing) return 'is missing';
    if (!(error instanceof BlobsUnavailable)) throw error;
    // If the store is down, the individual blobs are not the problem.
    await blobs.check();
    return `cannot be read: ${reasonOf(error)}`;
  }
  progress.blobs++;
  progress.bytes += read;
  const damage = damageOf(blob, checksum, { size: read, checksum: found.value });
  if (damage === undefined && checksum === undefined)
    return 'has no checksum: nobody can tell whether its bytes are those that came in';
  return damage;
}

function reasonOf({ message, cause }: BlobsUnavailable): string {
  return (cause instanceof Error && cause.message) || message;
}
