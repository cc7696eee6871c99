import { JsonText } from '../../api/answers.ts';
import { newId } from '../../ids.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { fold } from '../../text/fold.ts';
import { checkTarget } from './folders.ts';
import { insertFile, insertNode, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { documentJson, fileFacts, withRecord } from './record.ts';
import { indexTitle } from './search-store.ts';

/** A file whose bytes are stored. */
export interface NewFile {
  /** The id that was promised; a new one when absent. */
  id?: string;
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Null of a file without bytes. */
  blobKey: string | null;
  /** "" for the root. */
  folderId: string;
}

/**
 * Puts a file into a folder of its owner; its title is its filename. Answers its record.
 * Throws ApiError not_found for the folder, or folder_trashed.
 */
export async function createFile(tx: WriteTransaction, owner: DriveOwner, file: NewFile): Promise<JsonText> {
  await tx.lock(driveLock(owner));
  await checkTarget(tx, owner, file.folderId);
  const row = rowOf(owner, file);
  await insertNode(tx, row);
  await indexTitle(tx, undefined, row);
  const { filename, mimeType, size, blobKey } = file;
  await insertFile(tx, {
    workspace_id: owner.workspaceId,
    node_id: row.id,
    filename,
    mime_type: mimeType,
    size,
    blob_key: blobKey,
  });
  return new JsonText(documentJson(row));
}

function rowOf(owner: DriveOwner, file: NewFile): NodeRow {
  const now = Date.now();
  return withRecord({
    workspace_id: owner.workspaceId,
    id: file.id ?? newId('file'),
    kind: 'file',
    owner_id: owner.userId,
    parent_id: file.folderId,
    title: file.filename,
    search_text: fold(file.filename),
    state: 'active',
    facts: fileFacts(file),
    created_at: now,
    updated_at: now,
  });
}
