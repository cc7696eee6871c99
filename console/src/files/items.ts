import type { ListedFolder, ReadDocument, ReadFile, SearchHit } from '../../../client/src/index.ts';
import { AtriumError } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { session } from '../app/session.ts';
import type { Role } from './roles.ts';

export type Kind = 'folder' | 'document' | 'spreadsheet' | 'file';

/** A row of a list: a folder, a file, a document or a spreadsheet. */
export interface Item {
  kind: Kind;
  id: string;
  name: string;
  ownerId: string;
  /** "" in the root. */
  parentId: string;
  createdAt: string;
  updatedAt: string;
  isTrashed: boolean;
  /** Bytes; of files only. */
  size?: number;
  /** Of files only. */
  mediaType?: string;
  /** What the person may do with it, where the API has told. */
  role?: Role;
  /** Of what was found: where its text has the words. */
  snippet?: string;
}

export function folderItem(folder: ListedFolder): Item {
  return {
    kind: 'folder',
    id: folder.id,
    name: folder.name,
    ownerId: folder.owner_id,
    parentId: folder.parent_id,
    createdAt: folder.created_at,
    updatedAt: folder.updated_at,
    isTrashed: folder.trashed,
    ...(folder.role && { role: folder.role }),
  };
}

export function recordItem(record: ReadFile | ReadDocument): Item {
  return {
    kind: record.type,
    id: record.id,
    name: record.title,
    ownerId: record.owner_id,
    parentId: record.folder_id,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    isTrashed: record.state === 'trashed',
    ...(record.role && { role: record.role }),
    ...(record.type === 'file' && { size: record.size_bytes, mediaType: record.mime_type }),
  };
}

export function hitItem(hit: SearchHit): Item {
  // The record is that of the list of its kind.
  const item = recordItem(hit.record as unknown as ReadFile | ReadDocument);
  return { ...item, snippet: hit.snippet };
}

/** Whether the key of the session may do something. */
export function may(permission: string): boolean {
  const state = session.state();
  return state.phase === 'signed in' && state.permissions.includes(permission);
}

/** A file, document or spreadsheet by its id alone; null where the person reaches none. */
export async function findItem(id: string, signal?: AbortSignal): Promise<Item | null> {
  const options = signal ? { signal } : {};
  const file = await api.files.getFile(id, { include: 'role' }, options).catch(noneWhere404);
  if (file) return recordItem(file);
  if (!may('docs.documents.read')) return null;
  const document = await api.documents.getDocument(id, { include: 'role' }, options).catch(noneWhere404);
  return document ? recordItem(document) : null;
}

function noneWhere404(error: unknown): undefined {
  if (error instanceof AtriumError && error.status === 404) return undefined;
  throw error;
}
