import { type Page, type PageRequest, pageOf } from '../../../contract/answers.ts';
import { ApiError, notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { emitToOwner, type MailboxOwner, mailboxLock } from '../owner.ts';
import {
  type FilterRow,
  findFilter,
  insertFilter,
  listFilters,
  measureFilters,
  removeFilter,
  updateFilter,
} from './filter-store.ts';
import { type MailFilter, MailFilterChanges, NewMailFilter, type Rule } from './schema.ts';

/** A stored filter as the API shows it. */
export function filterRecord(row: FilterRow): MailFilter {
  return {
    id: row.id,
    name: row.name,
    priority: row.priority,
    enabled: row.enabled === 1,
    rule: JSON.parse(row.rule),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The row of a new filter. */
function newFilterRow(owner: MailboxOwner, given: NewMailFilter): FilterRow {
  const now = Date.now();
  return {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    id: newId('flt'),
    name: given.name,
    priority: given.priority,
    enabled: given.enabled === false ? 0 : 1,
    rule: ruleText(given.rule),
    created_at: now,
    updated_at: now,
  };
}

/** The row with the given fields replaced. */
function changedFilterRow(row: FilterRow, { name, priority, enabled, rule }: MailFilterChanges): FilterRow {
  return {
    ...row,
    name: name ?? row.name,
    priority: priority ?? row.priority,
    enabled: enabled === undefined ? row.enabled : Number(enabled),
    rule: rule ? ruleText(rule) : row.rule,
    updated_at: Date.now(),
  };
}

const CHANGEABLE = ['name', 'priority', 'enabled', 'rule'] as const;

function ruleText({ match = 'all', conditions, actions }: Rule): string {
  return JSON.stringify({
    match,
    conditions: conditions.map(({ field, op, value }) => ({ field, op, value })),
    actions: actions.map(({ type, folder, flag, label }) => ({ type, folder, flag, label })),
  });
}

/** Limits of the filters of a mailbox and of the JSON of their rules: every arriving message reads them all. */
const MAX_FILTERS = 2_000;
const MAX_RULE_CHARACTERS = 2_000_000;

/** A page of the filters of a mailbox, in the order in which they run. */
export async function pageOfFilters(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { after, limit }: PageRequest,
): Promise<Page<MailFilter>> {
  const position = after && { priority: Number(after[0]), id: String(after[1]) };
  const rows = await listFilters(tx, owner, position, limit);
  return pageOf(rows, filterRecord, ({ priority, id }) => [priority, id]);
}

/** Throws ApiError not_found. */
export async function getFilter(tx: ReadTransaction, owner: MailboxOwner, id: string): Promise<FilterRow> {
  const row = await findFilter(tx, owner, id);
  if (!row) throw notFound('mail_filter', id);
  return row;
}

/** Throws ApiError quota_exceeded. */
export async function createFilter(
  tx: WriteTransaction,
  owner: MailboxOwner,
  given: NewMailFilter,
): Promise<MailFilter> {
  requireValues(NewMailFilter, given);
  await tx.lock(mailboxLock(owner));
  const row = newFilterRow(owner, given);
  await insertFilter(tx, row);
  await enforceQuota(tx, owner);
  emitToOwner(tx, owner, 'filter.created', { filter_id: row.id });
  return filterRecord(row);
}

/**
 * Replaces the given fields; a filter that has them already stays as it is, its time of change too. Throws ApiError
 * not_found, quota_exceeded.
 */
export async function changeFilter(
  tx: WriteTransaction,
  owner: MailboxOwner,
  id: string,
  changes: MailFilterChanges,
): Promise<MailFilter> {
  requireValues(MailFilterChanges, changes);
  await tx.lock(mailboxLock(owner));
  const before = await getFilter(tx, owner, id);
  const row = changedFilterRow(before, changes);
  if (CHANGEABLE.every((column) => row[column] === before[column])) return filterRecord(before);
  await updateFilter(tx, row);
  if (changes.rule) await enforceQuota(tx, owner);
  emitToOwner(tx, owner, 'filter.changed', { filter_id: id });
  return filterRecord(row);
}

/** Throws ApiError not_found. */
export async function deleteFilter(tx: WriteTransaction, owner: MailboxOwner, id: string): Promise<void> {
  await tx.lock(mailboxLock(owner));
  if (!(await removeFilter(tx, owner, id))) throw notFound('mail_filter', id);
  emitToOwner(tx, owner, 'filter.deleted', { filter_id: id });
}

async function enforceQuota(tx: ReadTransaction, owner: MailboxOwner): Promise<void> {
  const { filters, characters } = await measureFilters(tx, owner);
  if (filters <= MAX_FILTERS && characters <= MAX_RULE_CHARACTERS) return;
  throw new ApiError(
    'quota_exceeded',
    `A mailbox has at most ${MAX_FILTERS} filters, whose rules are at most ${MAX_RULE_CHARACTERS} characters of JSON together. Remove or shorten some.`,
    { max_filters: MAX_FILTERS, max_rule_characters: MAX_RULE_CHARACTERS },
  );
}
