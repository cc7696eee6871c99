import type { IncomingHttpHeaders } from 'node:http';
import type { Staging } from '../../blobs/staging.ts';
import type { Content, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import {
  type DriveOwner,
  emitNode,
  type FilesService,
  type SeenNode,
  type WithParts,
} from '../drive/service.ts';
import {
  type ContentDependencies,
  firstRevision,
  getContent,
  getRevision,
  pageOfRevisions,
  prepareContent,
  putContent,
  type StagedContent,
  stageContent,
} from './contents.ts';
import {
  type CreatingDependencies,
  createDocument,
  type DocumentFilter,
  documentOf,
  listDocuments,
  prepareDocument,
  type SpreadsheetState,
  updateDocument,
} from './documents.ts';
import { exportContent } from './export-content.ts';
import { verifyUtf8 } from './markdown.ts';
import {
  type CreatedDocument,
  type NewContents,
  openSpreadsheet,
  type PrepareContents,
  refuseSource,
  type Spreadsheet,
  type SpreadsheetAccess,
} from './new-contents.ts';
import { getLatestStored } from './revision-store.ts';
import {
  type DocumentChanges,
  type ExportFormat,
  ImportNotes,
  type NewDocument,
  type RevisionRecord,
  type WrittenContent,
} from './schema.ts';

export {
  type CreatedDocument,
  type DriveOwner,
  emitNode,
  ImportNotes,
  type NewContents,
  type PrepareContents,
  refuseSource,
  type SeenNode,
  type Spreadsheet,
  type SpreadsheetAccess,
};

/** The rules of documents and spreadsheets, except for cells. Methods that take a transaction do all their work in it. */
export class DocumentsService {
  readonly #dependencies: CreatingDependencies & ContentDependencies;

  constructor({
    database,
    files,
    staging,
    prepareSpreadsheet,
    spreadsheetState,
  }: {
    database: Database;
    files: FilesService;
    staging: Staging;
    prepareSpreadsheet: PrepareContents;
    spreadsheetState: SpreadsheetState;
  }) {
    const prepare = { document: prepareContent(staging), spreadsheet: prepareSpreadsheet };
    this.#dependencies = { database, files, nodes: files.nodes, staging, prepare, spreadsheetState };
  }

  /** The documents and spreadsheets that a user has access to, newest first; or the user's own in the trash. */
  list(
    tx: ReadTransaction,
    user: DriveOwner,
    filter: DocumentFilter & WithParts,
    page: PageRequest,
  ): Promise<Page> {
    return listDocuments(tx, this.#dependencies.nodes, user, filter, page);
  }

  /** Throws ApiError not_found. */
  get(tx: ReadTransaction, user: DriveOwner, id: string, parts?: WithParts): Promise<JsonText> {
    return this.#dependencies.nodes.get(tx, user, documentOf(id), parts);
  }

  /**
   * Prepares contents for `create`, before its transaction. Rejects with ApiError not_found, forbidden or
   * validation_failed.
   */
  prepare(user: DriveOwner, given: NewDocument): Promise<NewContents> {
    return prepareDocument(this.#dependencies, user, given);
  }

  /** Prepares a document with this text for `create`, before its transaction. Rejects as `receiveContent`. */
  async prepareText(content: AsyncIterable<Uint8Array>): Promise<NewContents> {
    return firstRevision(await this.receiveContent(content));
  }

  /** Throws ApiError not_found for the folder, or folder_trashed. */
  create(
    tx: WriteTransaction,
    owner: DriveOwner,
    given: NewDocument,
    contents: NewContents,
  ): Promise<JsonText> {
    return createDocument(tx, this.#dependencies.nodes, owner, given, contents);
  }

  /** Throws ApiError not_found for the document or the folder, forbidden or folder_trashed. */
  update(tx: WriteTransaction, user: DriveOwner, id: string, changes: DocumentChanges): Promise<JsonText> {
    return updateDocument(tx, this.#dependencies, user, id, changes);
  }

  /** Moves a document to the trash. Throws ApiError not_found or forbidden. */
  trash(tx: WriteTransaction, user: DriveOwner, id: string): Promise<void> {
    return this.#dependencies.nodes.trash(tx, user, documentOf(id));
  }

  /** Throws ApiError not_found or forbidden. */
  restore(tx: WriteTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return this.#dependencies.nodes.restore(tx, user, documentOf(id));
  }

  /** The current content of a document. Throws ApiError not_found or forbidden. */
  getContent(tx: ReadTransaction, user: DriveOwner, id: string): Promise<Content> {
    return getContent(tx, this.#dependencies, user, id);
  }

  /** The current text of a document of a workspace, to be read after the transaction, for the full-text index. */
  async openText(tx: ReadTransaction, workspaceId: string, id: string): Promise<() => Promise<Uint8Array>> {
    const { location } = await getLatestStored(tx, { workspaceId, id });
    return async () => {
      const stored = await this.#dependencies.staging.open(location);
      return stored instanceof Uint8Array ? stored : Buffer.concat(await stored.toArray());
    };
  }

  /** Stages content before the transaction that stores it. Rejects with ApiError validation_failed if it is not UTF-8. */
  receiveContent(content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
    return stageContent(this.#dependencies.staging, verifyUtf8(content));
  }

  /**
   * Writes the next revision of a document if If-Match names its current state. Throws ApiError not_found, forbidden,
   * trashed, precondition_required or state_mismatch.
   */
  putContent(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    headers: IncomingHttpHeaders,
    content: StagedContent,
  ): Promise<WrittenContent> {
    return putContent(tx, this.#dependencies, user, id, headers, content);
  }

  /** The revisions of a document, newest first. Throws ApiError not_found or forbidden. */
  listRevisions(
    tx: ReadTransaction,
    user: DriveOwner,
    id: string,
    page: PageRequest,
  ): Promise<Page<RevisionRecord>> {
    return pageOfRevisions(tx, this.#dependencies, user, id, page);
  }

  /** The content of a revision. Throws ApiError not_found or forbidden. */
  getRevision(tx: ReadTransaction, user: DriveOwner, id: string, revision: string): Promise<Content> {
    return getRevision(tx, this.#dependencies, user, id, revision);
  }

  /** The current content as a file to save. Throws ApiError not_found, forbidden or payload_too_large. */
  export(tx: ReadTransaction, user: DriveOwner, id: string, format: ExportFormat): Promise<Content> {
    return exportContent(tx, this.#dependencies, user, id, format);
  }

  /**
   * A spreadsheet whose cells the user wants to read or write. Throws ApiError not_found, forbidden or, for write
   * access, trashed.
   */
  openSpreadsheet(
    tx: ReadTransaction,
    user: DriveOwner,
    id: string,
    access: SpreadsheetAccess,
  ): Promise<Spreadsheet> {
    return openSpreadsheet(tx, this.#dependencies.nodes, user, id, access);
  }

  /** Records that the cells of a spreadsheet have just changed: sets the time in its record. Returns who sees it. */
  touchSpreadsheet(
    tx: WriteTransaction,
    { workspaceId, id }: Pick<Spreadsheet, 'workspaceId' | 'id'>,
  ): Promise<SeenNode> {
    return this.#dependencies.nodes.touch(tx, workspaceId, id);
  }
}
