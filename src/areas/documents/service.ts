import type { JsonText, Page, PageRequest } from '../../api/answers.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner } from '../files/service.ts';
import {
  createDocument,
  type DocumentFilter,
  type DocumentParts,
  documentOf,
  listDocuments,
  prepareDocument,
  updateDocument,
} from './documents.ts';
import {
  type CreatedDocument,
  type NewContents,
  type PrepareContents,
  refuseSource,
} from './new-contents.ts';
import type { DocumentChanges, NewDocument } from './schema.ts';
import { openSpreadsheet, type Spreadsheet, type SpreadsheetAccess } from './spreadsheets.ts';

export {
  type CreatedDocument,
  type DriveOwner,
  type NewContents,
  type PrepareContents,
  refuseSource,
  type Spreadsheet,
  type SpreadsheetAccess,
};

/** The rules of documents and spreadsheets, but for cells. Every method with a transaction acts within the caller's. */
export class DocumentsService {
  readonly #parts: DocumentParts;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** The documents and spreadsheets that a user reaches, newest first; or of those in the trash the user's own. */
  list(tx: ReadTransaction, user: DriveOwner, filter: DocumentFilter, page: PageRequest): Promise<Page> {
    return listDocuments(tx, this.#parts.files.nodes, user, filter, page);
  }

  /** Throws ApiError not_found. */
  get(tx: ReadTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return this.#parts.files.nodes.get(tx, user, documentOf(id));
  }

  /** What `create` needs, before its transaction. Rejects with ApiError not_found, forbidden or validation_failed. */
  prepare(user: DriveOwner, given: NewDocument): Promise<NewContents> {
    return prepareDocument(this.#parts, user, given);
  }

  /** Throws ApiError not_found for the folder, or folder_trashed. */
  create(
    tx: WriteTransaction,
    owner: DriveOwner,
    given: NewDocument,
    contents: NewContents,
  ): Promise<JsonText> {
    return createDocument(tx, this.#parts.files.nodes, owner, given, contents);
  }

  /** Throws ApiError not_found for the document or the folder, forbidden or folder_trashed. */
  update(tx: WriteTransaction, user: DriveOwner, id: string, changes: DocumentChanges): Promise<JsonText> {
    return updateDocument(tx, this.#parts.files.nodes, user, id, changes);
  }

  /** Moves it to the trash. Throws ApiError not_found or forbidden. */
  trash(tx: WriteTransaction, user: DriveOwner, id: string): Promise<void> {
    return this.#parts.files.nodes.trash(tx, user, documentOf(id));
  }

  /** Throws ApiError not_found or forbidden. */
  restore(tx: WriteTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return this.#parts.files.nodes.restore(tx, user, documentOf(id));
  }

  /**
   * A spreadsheet whose cells the user wants to read or write. Throws ApiError not_found, forbidden, or of one to write
   * to trashed.
   */
  openSpreadsheet(
    tx: ReadTransaction,
    user: DriveOwner,
    id: string,
    access: SpreadsheetAccess,
  ): Promise<Spreadsheet> {
    return openSpreadsheet(tx, this.#parts.files.nodes, user, id, access);
  }

  /** Says that the cells of a spreadsheet have just changed: that is the time in its record. */
  touchSpreadsheet(tx: WriteTransaction, { workspaceId, id }: Pick<Spreadsheet, 'workspaceId' | 'id'>) {
    return this.#parts.files.nodes.touch(tx, workspaceId, id);
  }
}
