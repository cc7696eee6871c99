import { JsonText, type Page, type PageRequest } from '../../../api/answers.ts';
import { notFound } from '../../../api/errors.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { findFolder } from '../folder-store.ts';
import { summaryJson } from '../listing.ts';
import type { MailboxOwner } from '../owner.ts';
import type { MessageStaging } from '../staging.ts';
import { changeFilter, createFilter, deleteFilter, getFilter, pageOfFilters } from './filters.ts';
import { FolderScan } from './folder-scan.ts';
import { type Previewed, preview } from './preview.ts';
import { filterRecord } from './record.ts';
import {
  type MailFilter,
  type MailFilterChanges,
  type NewMailFilter,
  type PreviewRequest,
  SHOWN,
} from './schema.ts';

/** The rules of mail filters. Every method acts on the mailbox of one owner, within the caller's transaction. */
export class FilterService {
  readonly #scan: FolderScan;

  constructor(database: Database, staging: MessageStaging) {
    this.#scan = new FolderScan(database, staging);
  }

  /** In the order in which they run. */
  listFilters(tx: ReadTransaction, owner: MailboxOwner, page: PageRequest): Promise<Page<MailFilter>> {
    return pageOfFilters(tx, owner, page);
  }

  /** Throws ApiError not_found. */
  async getFilter(tx: ReadTransaction, owner: MailboxOwner, id: string): Promise<MailFilter> {
    return filterRecord(await getFilter(tx, owner, id));
  }

  /** Throws ApiError quota_exceeded. */
  createFilter(tx: WriteTransaction, owner: MailboxOwner, given: NewMailFilter): Promise<MailFilter> {
    return createFilter(tx, owner, given);
  }

  /** Replaces the fields that are given. Throws ApiError not_found, quota_exceeded. */
  updateFilter(
    tx: WriteTransaction,
    owner: MailboxOwner,
    id: string,
    changes: MailFilterChanges,
  ): Promise<MailFilter> {
    return changeFilter(tx, owner, id, changes);
  }

  /** Throws ApiError not_found. */
  removeFilter(tx: WriteTransaction, owner: MailboxOwner, id: string): Promise<void> {
    return deleteFilter(tx, owner, id);
  }

  /** Looks for the mail already there that a rule would match, before the transaction that answers it. */
  findMatching(
    owner: MailboxOwner,
    { rule, folder_id: folderId, limit }: PreviewRequest,
  ): Promise<Previewed> {
    const portions = this.#scan.scan(owner, folderId === undefined ? [] : [folderId], rule);
    return preview(portions, Math.min(limit ?? SHOWN.default, SHOWN.cap));
  }

  /** What a rule would match. Throws ApiError not_found for an unknown folder. */
  async getPreview(
    tx: ReadTransaction,
    owner: MailboxOwner,
    folderId: string | undefined,
    { scanned, matched, shown }: Previewed,
  ): Promise<JsonText> {
    if (folderId !== undefined && !(await findFolder(tx, owner, folderId)))
      throw notFound('folder', folderId);
    const messages = shown.map(summaryJson).join(',');
    return new JsonText(`{"scanned":${scanned},"matched":${matched},"messages":[${messages}]}`);
  }
}
