import { newId } from '../../../platform/ids.ts';
import type { MailboxOwner } from '../owner.ts';
import type { FilterRow } from './filter-store.ts';
import type { MailFilter, MailFilterChanges, NewMailFilter, Rule } from './schema.ts';

/** A stored filter as the API answers it. */
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

/** The row of a filter that is made now. */
export function newFilterRow(owner: MailboxOwner, given: NewMailFilter): FilterRow {
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

/** The row with the fields replaced that are given. */
export function changedFilterRow(
  row: FilterRow,
  { name, priority, enabled, rule }: MailFilterChanges,
): FilterRow {
  return {
    ...row,
    name: name ?? row.name,
    priority: priority ?? row.priority,
    enabled: enabled === undefined ? row.enabled : Number(enabled),
    rule: rule ? ruleText(rule) : row.rule,
    updated_at: Date.now(),
  };
}

function ruleText({ match = 'all', conditions, actions }: Rule): string {
  return JSON.stringify({
    match,
    conditions: conditions.map(({ field, op, value }) => ({ field, op, value })),
    actions: actions.map(({ type, folder, flag }) => ({ type, folder, flag })),
  });
}
