import type { JsonText, Page, PageRequest } from '../../contract/answers.ts';
import { jsonMembers } from '../../contract/json.ts';
import type { Problem } from '../../contract/operation.ts';
import { requireParameter, requireValues } from '../../contract/required-values.ts';
import { pointerTo, ViolationList } from '../../contract/violations.ts';
import { newId } from '../../platform/ids.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, FilesService, Nodes, Wanted, WithParts } from '../drive/service.ts';
import type { NewContents, PrepareContents } from './new-contents.ts';
import {
  DocumentChanges,
  DocumentFilters,
  type DocumentType,
  MAX_METADATA_BYTES,
  NewDocument,
} from './schema.ts';

/** The members that only records of documents have, as JSON text without braces. */
function documentFacts(metadata: object): string {
  return jsonMembers({ metadata });
}

/** The problems of the metadata of a request. */
export function metadataProblems({ metadata }: { metadata?: object }): Problem[] {
  if (metadata === undefined) return [];
  const size = Buffer.byteLength(JSON.stringify(metadata));
  if (size <= MAX_METADATA_BYTES) return infiniteNumbers(metadata);
  const message = `As compact JSON it has ${size} bytes; at most ${MAX_METADATA_BYTES} are kept.`;
  return [{ pointer: '/metadata', code: 'too_large', message }];
}

/** JSON text may contain a number such as 1e400, which is parsed as Infinity and cannot be written as JSON again. */
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

/** The services that creating documents uses. */
export interface CreatingDependencies {
  database: Database;
  files: FilesService;
  /** Functions that prepare the contents of a new document, by its type. */
  prepare: Readonly<Record<DocumentType, PrepareContents>>;
  /** The state token of a spreadsheet with this title. */
  spreadsheetState: SpreadsheetState;
}

/** Finds the state token of a spreadsheet, on which its title has an effect. */
export type SpreadsheetState = (
  tx: WriteTransaction,
  spreadsheet: { workspaceId: string; id: string; title: string },
) => Promise<string>;

const ALL_TYPES: readonly DocumentType[] = ['document', 'spreadsheet'];

/** Conditions for listed documents. All of them must hold. */
export interface DocumentFilter {
  /** Undefined for both types. */
  type: DocumentType | undefined;
  /** The folder, "" for the root; undefined for any folder. */
  folderId: string | undefined;
  /** Fragment of the title; "" matches all. */
  q: string;
  /** The user's own documents in the trash, instead of all active documents that the user has access to. */
  trashed: boolean;
  /** Only documents of others. */
  shared: boolean;
}

/** Finds documents and spreadsheets. */
export function documentOf(id: string): Wanted {
  return { id, kinds: ALL_TYPES, resource: 'document' };
}

/** The documents and spreadsheets that a user has access to, newest first; or the user's own in the trash. */
export function listDocuments(
  tx: ReadTransaction,
  { nodes }: { nodes: Nodes },
  user: DriveOwner,
  { type, folderId, q, trashed, shared, include }: DocumentFilter & WithParts,
  page: PageRequest,
): Promise<Page> {
  if (type !== undefined) requireParameter(DocumentFilters.properties.type, type, 'type');
  const kinds = type ? [type] : ALL_TYPES;
  return nodes.list(tx, user, { folderId, q, trashed, shared, kinds, include }, page);
}

/**
 * Prepares the contents of a new document, before the transaction that creates it. Rejects with ApiError validation_failed, and
 * not_found, forbidden or unreadable_file for its source.
 */
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

/**
 * Creates a document with its contents. Returns its record, and the result of reading an imported file. Throws ApiError
 * not_found or folder_trashed.
 */
export async function createDocument(
  tx: WriteTransaction,
  { nodes }: { nodes: Nodes },
  { workspaceId, userId }: DriveOwner,
  given: NewDocument,
  contents: NewContents,
): Promise<JsonText> {
  requireValues(NewDocument, given);
  const { type, title, folder_id: folderId = '', metadata = {} } = given;
  const id = newId(type === 'document' ? 'doc' : 'sht');
  const node = { id, kind: type, title, folderId, facts: documentFacts(metadata) };
  const { imported, importNotes } = contents;
  const further = imported && { import: imported, ...(importNotes && { import_notes: importNotes }) };
  const record = await nodes.create(tx, { workspaceId, userId }, node, further);
  await contents.onCreated(tx, { workspaceId, id, ownerId: userId });
  return record;
}

/**
 * Renames, moves or describes a document. Throws ApiError not_found for the document or the folder, forbidden or
 * folder_trashed.
 */
export function updateDocument(
  tx: WriteTransaction,
  { nodes, spreadsheetState }: Pick<CreatingDependencies, 'spreadsheetState'> & { nodes: Nodes },
  user: DriveOwner,
  id: string,
  changes: DocumentChanges,
): Promise<JsonText> {
  requireValues(DocumentChanges, changes);
  const { title, folder_id: parentId, metadata } = changes;
  const facts = metadata && documentFacts(metadata);
  return nodes.update(tx, user, documentOf(id), { title, parentId, facts }, async (tx, changed) => {
    const { workspace_id: workspaceId, kind, title } = changed;
    if (kind !== 'spreadsheet') return {};
    return { state: await spreadsheetState(tx, { workspaceId, id, title }) };
  });
}
