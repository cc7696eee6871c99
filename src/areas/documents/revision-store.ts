import type { RawLocation } from '../../blobs/staging.ts';
import type { BlobOwner } from '../../storage/blob-owner.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { command, statement } from '../../storage/query/statement.ts';
import type { DocumentRevisions as RevisionRow } from '../../storage/schema/tables.ts';

/** The large contents of documents are blobs, one for each revision. */
export const DOCUMENTS_BLOBS: BlobOwner = {
  table: 'document_revisions',
  columns: ['document_id', 'revision'],
  name: async (_tx, [documentId, revision]) => `revision ${revision} of ${documentId}`,
};

/** Identifies a document. */
export interface DocumentKey {
  workspaceId: string;
  id: string;
}

/** A revision without its content. */
export type Revision = Pick<RevisionRow, 'revision' | 'state' | 'created_by' | 'created_at'>;

/** The columns that identify a revision and its content. */
type RevisionState = Pick<RevisionRow, 'revision' | 'state' | 'digest'>;

/** A revision with the location of its content. */
export interface StoredRevision extends Revision {
  /** Bytes. */
  size: number;
  location: RawLocation;
}

const REVISION = ['revision', 'state', 'created_by', 'created_at'] as const;
const STORED = [...REVISION, 'size', 'content', 'blob_key'] as const;

const insert = command((tx: WriteTransaction, p: RevisionRow) =>
  tx.insertInto('document_revisions').values({
    workspace_id: p.workspace_id,
    document_id: p.document_id,
    revision: p.revision,
    state: p.state,
    created_by: p.created_by,
    created_at: p.created_at,
    size: p.size,
    digest: p.digest,
    content: p.content,
    blob_key: p.blob_key,
  }),
);

export async function insertRevision(
  tx: WriteTransaction,
  { workspaceId, id }: DocumentKey,
  { location, ...row }: StoredRevision & RevisionState,
): Promise<void> {
  const { raw: content, blobKey: blob_key } = location;
  await insert(tx, { ...row, workspace_id: workspaceId, document_id: id, content, blob_key });
}

const latestOf = statement((tx, p: DocumentKey) => latest(tx, p).select(['revision', 'state', 'digest']));
const latestStoredOf = statement((tx, p: DocumentKey) => latest(tx, p).select(STORED));

function latest(tx: ReadTransaction, p: DocumentKey) {
  return tx
    .selectFrom('document_revisions')
    .where('workspace_id', '=', p.workspaceId)
    .where('document_id', '=', p.id)
    .orderBy('revision', 'desc')
    .limit(1);
}

/** The current revision of a document. Every document has one from its creation on. */
export async function getLatest(
  tx: ReadTransaction,
  { workspaceId, id }: DocumentKey,
): Promise<RevisionState> {
  const [row] = await latestOf(tx, { workspaceId, id });
  if (!row) throw new TypeError(`The document ${id} has no revision`);
  return row;
}

/** The same, with the location of its content. */
export async function getLatestStored(
  tx: ReadTransaction,
  { workspaceId, id }: DocumentKey,
): Promise<StoredRevision> {
  const [row] = await latestStoredOf(tx, { workspaceId, id });
  if (!row) throw new TypeError(`The document ${id} has no revision`);
  return storedRevision(row);
}

const revisionOf = statement((tx, p: DocumentKey & { revision: number }) =>
  tx
    .selectFrom('document_revisions')
    .select(STORED)
    .where('workspace_id', '=', p.workspaceId)
    .where('document_id', '=', p.id)
    .where('revision', '=', p.revision),
);

/** A revision of a document; undefined if it does not exist. */
export async function findRevision(
  tx: ReadTransaction,
  { workspaceId, id }: DocumentKey,
  revision: number,
): Promise<StoredRevision | undefined> {
  const [row] = await revisionOf(tx, { workspaceId, id, revision });
  return row && storedRevision(row);
}

const revisionsBefore = statement((tx, p: DocumentKey & { before: number; limit: number }) =>
  tx
    .selectFrom('document_revisions')
    .select(REVISION)
    .where('workspace_id', '=', p.workspaceId)
    .where('document_id', '=', p.id)
    .where('revision', '<', p.before)
    .orderBy('revision', 'desc')
    .limit(p.limit),
);

/** The revisions before the revision `before`, newest first. */
export function listRevisions(
  tx: ReadTransaction,
  { workspaceId, id }: DocumentKey,
  before: number,
  limit: number,
): Promise<Revision[]> {
  return revisionsBefore(tx, { workspaceId, id, before, limit });
}

function storedRevision({
  content,
  blob_key: blobKey,
  ...revision
}: Pick<RevisionRow, (typeof STORED)[number]>): StoredRevision {
  return { ...revision, location: locationOf(content, blobKey) };
}

function locationOf(raw: Uint8Array | null, blobKey: string | null): RawLocation {
  if (raw) return { raw, blobKey: null };
  if (blobKey !== null) return { raw: null, blobKey };
  throw new TypeError('a revision without content');
}
