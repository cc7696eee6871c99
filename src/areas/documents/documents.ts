import type { JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Problem } from '../../contract/operation.ts';
import { requireParameter, requireValues } from '../../contract/required-values.ts';
import { pointerTo, ViolationList } from '../../contract/violations.ts';
import { newId } from '../../platform/ids.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { jsonMembers } from '../../text/json-members.ts';
import type { DriveOwner, FilesService, Nodes, Wanted } from '../drive/service.ts';
import type { NewContents, PrepareContents } from './new-contents.ts';
import {
  DocumentChanges,
  DocumentFilters,
  type DocumentType,
  MAX_METADATA_BYTES,
  NewDocument,
} from './schema.ts';

/** What only records of documents have, as ready JSON without braces. */
function documentFacts(metadata: object): string {
  return jsonMembers({ metadata });
}

/** What is wrong with the metadata of a request. */
export function metadataProblems({ metadata }: { metadata?: object }): Problem[] {
  if (metadata === undefined) return [];
  const size = Buffer.byteLength(JSON.stringify(metadata));
  if (size <= MAX_METADATA_BYTES) return infiniteNumbers(metadata);
  const message = `As compact JSON it has ${size} bytes; at most ${MAX_METADATA_BYTES} are kept.`;
  return [{ pointer: '/metadata', code: 'too_large', message }];
}

/** JSON writes numbers of any size, such as 1e400; one that is read as infinite could not be given back. */
function infiniteNumbers(metadata: object): Problem[] {
  const found = new ViolationList();
  collectInfinite(metadata, '/metadata', found);
  return found.all;
}

function collectInfinite(value: unknown, pointer: string, found: ViolationList): void {
  if (found.isFull) return;
  if (typeof value === 'number' && !Number.isFinite(value))
    found.add({ pointer, code: 'out_of_range', message: 'The number is too large to be kept.' });
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) collectInfinite(member, pointerTo(pointer, key), found);
}

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
