import { newId } from '../../platform/ids.ts';
import { fold } from '../../text/fold.ts';
import { spelledTimeZone } from '../../text/time-zone.ts';
import type { NewUser, User, UserChanges } from './schema.ts';
import type { UserRow } from './user-store.ts';

/** The user as the API shows it. */
export function userRecord(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    aliases: aliasesOf(row),
    state: row.state,
    share_availability: row.share_availability === 1,
    time_zone: row.time_zone,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

export function newUserRow(workspaceId: string, given: NewUser, isOwner: boolean): UserRow {
  const now = Date.now();
  return searchable({
    workspace_id: workspaceId,
    id: newId('usr'),
    name: given.name,
    email: given.email,
    aliases: JSON.stringify(given.aliases ?? []),
    is_owner: isOwner ? 1 : 0,
    state: 'active',
    share_availability: 1,
    time_zone: spelledTimeZone(given.time_zone ?? 'UTC'),
    search_text: '',
    created_at: now,
    updated_at: now,
  });
}

export function changedUserRow(row: UserRow, changes: UserChanges): UserRow {
  const shares = changes.share_availability;
  return searchable({
    ...row,
    name: changes.name ?? row.name,
    email: changes.email ?? row.email,
    aliases: changes.aliases ? JSON.stringify(changes.aliases) : row.aliases,
    state: changes.state ?? row.state,
    share_availability: shares === undefined ? row.share_availability : Number(shares),
    time_zone: changes.time_zone === undefined ? row.time_zone : spelledTimeZone(changes.time_zone),
    updated_at: Date.now(),
  });
}

export function aliasesOf({ aliases }: UserRow): string[] {
  return JSON.parse(aliases);
}

/** Every address of a user, the e-mail address first, as given. */
export function addressesOf(row: UserRow): string[] {
  return [row.email, ...aliasesOf(row)];
}

/** One a line, so that no fragment matches across two of them. */
function searchable(row: UserRow): UserRow {
  return { ...row, search_text: fold([row.name, ...addressesOf(row)].join('\n')) };
}
