import { JsonText, type Page, type PageRequest } from '../../../contract/answers.ts';
import { requireValues } from '../../../contract/required-values.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { getFolder } from '../folders/folders.ts';
import type { MailboxOwner } from '../owner.ts';
import { applyFilter, collectMatches, type FilterAndFolder, type FilterMatches } from './apply-filter.ts';
import { findFilter } from './filter-store.ts';
import {
  changeFilter,
  createFilter,
  deleteFilter,
  filterRecord,
  getFilter,
  pageOfFilters,
} from './filters.ts';
import { FolderScan, type PreviewResult, preview } from './folder-scan.ts';
import {
  type Applied,
  type MailFilter,
  type MailFilterChanges,
  type NewMailFilter,
  PreviewRequest,
  SHOWN,
} from './schema.ts';

/**
 * The rules of mail filters. Every method acts on the mailbox of one owner: within the caller's transaction where it takes
 * one, else in short transactions of its own.
 */
export class FilterService {
  readonly #database: Database;
  readonly #scan: FolderScan;

  constructor(database: Database, staging: MessageStaging) {
    this.#database = database;
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

  /** Replaces the given fields. Throws ApiError not_found, quota_exceeded. */
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

  /** Scans the stored mail for messages that a rule would match, before the transaction of the preview. */
  async findMatching(owner: MailboxOwner, asked: PreviewRequest): Promise<PreviewResult> {
    requireValues(PreviewRequest, asked);
    const { rule, folder_id: folderId, limit } = asked;
    const portions = this.#scan.scan(owner, folderId === undefined ? [] : [folderId], rule);
    return preview(portions, Math.min(limit ?? SHOWN.default, SHOWN.cap));
  }

  /** The preview as JSON. Throws ApiError not_found for an unknown folder. */
  async getPreview(
    tx: ReadTransaction,
    owner: MailboxOwner,
    folderId: string | undefined,
    { scanned, matched, newest }: PreviewResult,
  ): Promise<JsonText> {
    if (folderId !== undefined) await getFolder(tx, owner, folderId);
    const messages = newest.map(({ item }) => item).join(',');
    return new JsonText(`{"scanned":${scanned},"matched":${matched},"messages":[${messages}]}`);
  }

  /**
   * Scans a folder for the messages that a filter matches, before the transaction that applies it; undefined for an
   * unknown filter.
   */
  async findToApply(
    owner: MailboxOwner,
    { filterId, folderId }: FilterAndFolder,
  ): Promise<FilterMatches | undefined> {
    const row = await this.#database.read((tx) => findFilter(tx, owner, filterId));
    if (!row) return undefined;
    const filter = { id: row.id, name: row.name, rule: JSON.parse(row.rule) };
    return collectMatches(filter, this.#scan.scan(owner, [folderId], filter.rule));
  }

  /**
   * Applies a filter to the messages that it matched, all or nothing. Throws ApiError not_found for filter and folder.
   */
  applyFilter(
    tx: WriteTransaction,
    owner: MailboxOwner,
    filterAndFolder: FilterAndFolder,
    matched: FilterMatches | undefined,
  ): Promise<Applied> {
    return applyFilter(tx, owner, filterAndFolder, matched);
  }
}
