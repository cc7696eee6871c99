import { JsonText } from '../../contract/answers.ts';
import { requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { checkDepth, requireLockedTarget } from './folders.ts';
import { indexTitle } from './listing/search-store.ts';
import { emitNode, seenNode } from './node-changes.ts';
import { insertFile, insertNode, type NewNodeRow, type NodeKind, type NodeRow } from './node-store.ts';
import type { DriveOwner } from './owner.ts';
import { documentJson, fileFacts, withRecord } from './record.ts';
import type { Rights } from './rights.ts';
import { NewUpload } from './uploads/upload-schema.ts';

/** A node that is to be added to a tree. */
export interface NewNode {
  id: string;
  kind: NodeKind;
  title: string;
  /** "" for the root. */
  folderId: string;
  /** The column `facts`: the members that only records of this kind have, as JSON text. */
  facts: string;
}

/**
 * Creates a node for a user; in a folder, it belongs to the owner of the folder. Throws ApiError not_found for the folder,
 * forbidden, folder_trashed or folder_too_deep.
 */
export async function createNode(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  node: NewNode,
): Promise<NodeRow> {
  return addNode(tx, await requireLockedTarget(tx, rights, user, node.folderId), node);
}

/** Creates a node in the tree of an owner, which is locked. Throws ApiError folder_too_deep. */
async function addNode(tx: WriteTransaction, owner: DriveOwner, node: NewNode): Promise<NodeRow> {
  if (node.kind === 'folder') await checkDepth(tx, owner, node.folderId, 1);
  const row = await insertNode(tx, rowOf(owner, node));
  await indexTitle(tx, undefined, row);
  emitNode(tx, await seenNode(tx, row, row.parent_id !== ''), 'created');
  return row;
}

/** A file whose bytes are already stored. */
export interface NewFile {
  /** An id that the client knows already; absent for a new id. */
  id?: string;
  filename: string;
  /** The name that is shown; the filename when absent. */
  title?: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Null for an empty file. */
  blobKey: string | null;
  /** "" for the root. */
  folderId: string;
  /** Takes the bytes over; called when the tree is locked. */
  takeOver?: (tx: WriteTransaction) => Promise<void>;
}

/**
 * Creates a file from stored bytes as createNode does; without a title, that is its filename. Returns its record. Throws
 * ApiError not_found for the folder, forbidden, folder_trashed, and validation_failed for an invalid size.
 */
export async function createFile(
  tx: WriteTransaction,
  rights: Rights,
  user: DriveOwner,
  file: NewFile,
): Promise<JsonText> {
  const {
    id = newId('file'),
    filename,
    title = filename,
    mimeType,
    size,
    blobKey,
    folderId,
    takeOver,
  } = file;
  requireValues(NewUpload.properties.size, size, '/size');
  const facts = fileFacts(file);
  const owner = await requireLockedTarget(tx, rights, user, folderId);
  const [row] = await Promise.all([
    addNode(tx, owner, { id, kind: 'file', title, folderId, facts }),
    // After the lock: on PostgreSQL the first write of a transaction decides its place in the change feed.
    takeOver?.(tx),
  ]);
  await insertFile(tx, {
    workspace_id: user.workspaceId,
    node_id: row.id,
    filename,
    mime_type: mimeType,
    size,
    blob_key: blobKey,
  });
  return new JsonText(documentJson(row));
}

function rowOf(owner: DriveOwner, { id, kind, title, folderId, facts }: NewNode): NewNodeRow {
  const now = Date.now();
  return withRecord({
    workspace_id: owner.workspaceId,
    id,
    kind,
    owner_id: owner.userId,
    parent_id: folderId,
    title,
    search_text: fold(title),
    state: 'active',
    facts,
    created_at: now,
    updated_at: now,
  });
}
