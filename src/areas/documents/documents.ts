import type { JsonText, Page, PageRequest } from '../../contract/answers.ts';
import { requireParameter, requireValues } from '../../contract/required-values.ts';
import { newId } from '../../platform/ids.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, FilesService, Nodes, Wanted } from '../drive/service.ts';
import type { NewContents, PrepareContents } from './new-contents.ts';
import { documentFacts } from './record.ts';
import { DocumentChanges, DocumentFilters, type DocumentType, NewDocument } from './schema.ts';

/** What creating documents works with. */
export interface CreatingDependencies {
  database: Database;
  files: FilesService;
  /** What makes the contents of a new one, by its type. */
  prepare: Readonly<Record<DocumentType, PrepareContents>>;
}

const ALL_TYPES: readonly DocumentType[] = ['document', 'spreadsheet'];

/** Which documents a listing shows; its parts combine by and. */
export interface DocumentFilter {
  /** Both when undefined. */
  type: DocumentType | undefined;
  /** Only in this folder, "" for the root; anywhere when undefined. */
  folderId: string | undefined;
  /** A fragment of the title; "" for all. */
  q: string;
  /** The user's own in the trash, instead of everything active that the user reaches. */
  trashed: boolean;
}

/** A document or a spreadsheet. */
export function documentOf(id: string): Wanted {
  return { id, kinds: ALL_TYPES, resource: 'document' };
}

/** One page of documents and spreadsheets. */
export function listDocuments(
  tx: ReadTransaction,
  nodes: Nodes,
  user: DriveOwner,
  { type, folderId, q, trashed }: DocumentFilter,
  page: PageRequest,
): Promise<Page> {
  if (type !== undefined) requireParameter(DocumentFilters.properties.type, type, 'type');
  return nodes.list(tx, user, { folderId, q, trashed, kinds: type ? [type] : ALL_TYPES }, page);
}

/** Makes the contents of a new document. Rejects with ApiError not_found, forbidden or unreadable_file for its source. */
export async function prepareDocument(
  { database, files, prepare }: CreatingDependencies,
  user: DriveOwner,
  given: NewDocument,
): Promise<NewContents> {
  requireValues(NewDocument, given);
  const { type, source_file_id: fileId } = given;
  const source =
    fileId === undefined ? undefined : await database.read((tx) => files.findStoredFile(tx, user, fileId));
  return prepare[type](source, user);
}

/** Creates a document with its contents; answers its record, and how the file that fills it was read. Throws ApiError not_found or folder_trashed. */
export async function createDocument(
  tx: WriteTransaction,
  nodes: Nodes,
  { workspaceId, userId }: DriveOwner,
  given: NewDocument,
  contents: NewContents,
): Promise<JsonText> {
  requireValues(NewDocument, given);
  const { type, title, folder_id: folderId = '', metadata = {} } = given;
  const id = newId(type === 'document' ? 'doc' : 'sht');
  const node = { id, kind: type, title, folderId, facts: documentFacts(metadata) };
  const further = contents.imported && { import: contents.imported };
  const record = await nodes.create(tx, { workspaceId, userId }, node, further);
  await contents.onCreated(tx, { workspaceId, id, ownerId: userId });
  return record;
}

/** Renames, moves or describes it. Throws ApiError not_found for it or the folder, forbidden or folder_trashed. */
export function updateDocument(
  tx: WriteTransaction,
  nodes: Nodes,
  user: DriveOwner,
  id: string,
  changes: DocumentChanges,
): Promise<JsonText> {
  requireValues(DocumentChanges, changes);
  const { title, folder_id: parentId, metadata } = changes;
  const facts = metadata && documentFacts(metadata);
  return nodes.update(tx, user, documentOf(id), { title, parentId, facts });
}
