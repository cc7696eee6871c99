import { isDeepStrictEqual } from 'node:util';
import type { Page, PageRequest } from '../../contract/answers.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import { afterId, pageById } from '../../contract/id-order.ts';
import { requireValues } from '../../contract/required-values.ts';
import { refuse } from '../../contract/validation.ts';
import type { WorkingPeriod } from '../../contract/working-hours.ts';
import { newId } from '../../platform/ids.ts';
import { WORKSPACE_AUDIENCE } from '../../storage/changes.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { addressForms, twofoldDomains } from '../../text/email-address.ts';
import { fold } from '../../text/fold.ts';
import { spelledTimeZone } from '../../text/time-zone.ts';
import { NewUser, type User, UserChanges } from './schema.ts';
import { formProblems, mergedAddressProblems } from './user-rules.ts';
import * as store from './user-store.ts';
import { findHoldersOfAddresses, type UserRow } from './user-store.ts';

/** The user that an address belongs to. */
export interface AddressHolder {
  userId: string;
  sharesAvailability: boolean;
  /** All addresses of the user, case folded. */
  addresses: string[];
}

/** The users of a workspace that have these addresses (e-mail or alias), by address; all case folded. */
export async function findAddressHolders(
  tx: ReadTransaction,
  workspaceId: string,
  foldedAddresses: readonly string[],
): Promise<Map<string, AddressHolder>> {
  const rows = await findHoldersOfAddresses(tx, workspaceId, foldedAddresses);
  return new Map(
    rows.map((row) => {
      const aliases: string[] = row.aliases === '[]' ? [] : JSON.parse(row.aliases);
      const addresses = [row.email, ...aliases].map(fold);
      return [row.address, { userId: row.id, sharesAvailability: row.share_availability === 1, addresses }];
    }),
  );
}

/** When a user works, on the clock of the user. */
export interface UserWorkingHours {
  userId: string;
  timeZone: string;
  /** Empty where that is not known. */
  workingHours: WorkingPeriod[];
}

/** The working hours of users of a workspace; unknown ids are left out. */
export async function findWorkingHours(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<UserWorkingHours[]> {
  const rows = await store.findWorkingHours(tx, workspaceId, ids);
  return rows.map(({ id, time_zone, working_hours }) => ({
    userId: id,
    timeZone: time_zone,
    workingHours: JSON.parse(working_hours),
  }));
}

/** A user and its workspace. */
export interface UserRef {
  workspaceId: string;
  userId: string;
}

export interface FoundUser extends UserRef {
  user: User;
}

/** The users of a workspace in order of creation; `q` is a fragment of a name or an address, "" for all. */
export async function listUsers(
  tx: ReadTransaction,
  workspaceId: string,
  q: string,
  page: PageRequest,
): Promise<Page<User>> {
  return pageById(await store.listUsers(tx, workspaceId, fold(q), afterId(page), page.limit), userRecord);
}

/** Throws ApiError not_found. */
export async function getUser(tx: ReadTransaction, workspaceId: string, id: string): Promise<User> {
  return userRecord(await getRow(tx, workspaceId, id));
}

/** The user of any workspace with this id or address (e-mail or alias, ignoring case). */
export async function findUser(tx: ReadTransaction, idOrAddress: string): Promise<FoundUser | undefined> {
  const row = idOrAddress.includes('@')
    ? await store.findUserByAddress(tx, fold(idOrAddress))
    : await store.findUserAnywhere(tx, idOrAddress);
  return row && { workspaceId: row.workspace_id, userId: row.id, user: userRecord(row) };
}

/** A user who has an address; `hasLeft`: the workspace is served by another installation. */
export interface FoundHolder extends UserRef {
  readonly hasLeft: boolean;
}

/**
 * The active user of any workspace who receives mail for an address, ignoring case, with its domain in either form.
 * `likely`: who received it before. Where that is so still, on PostgreSQL one wait tells.
 */
export async function findRecipient(
  tx: ReadTransaction,
  address: string,
  likely?: UserRef,
): Promise<FoundHolder | undefined> {
  const forms = addressForms(address);
  const given = fold(address);
  if (!forms.includes(given)) {
    // Taken in a third form before such addresses were refused.
    const holder = await store.findActiveHolder(tx, [given, given], likely);
    if (holder) return holder;
  }
  return store.findActiveHolder(tx, forms, likely);
}

/** Throws ApiError validation_failed and email_taken. */
export async function createUser(
  tx: WriteTransaction,
  workspaceId: string,
  given: NewUser,
  isOwner: boolean,
): Promise<User> {
  requireValues(NewUser, given);
  refuse(formProblems(given, []));
  const row = newUserRow(workspaceId, given, isOwner);
  await lockForms(tx, row);
  await store.insertUser(tx, row);
  await claimAddresses(tx, row);
  emitUser(tx, 'user.created', row);
  return userRecord(row);
}

/**
 * Changes a user and returns it; no effect if it is so already. `onSuspended` is called once a suspension is durable. Throws
 * ApiError not_found, validation_failed, email_taken or last_owner.
 */
export async function updateUser(
  tx: WriteTransaction,
  workspaceId: string,
  id: string,
  changes: UserChanges,
  onSuspended: () => void,
): Promise<User> {
  requireValues(UserChanges, changes);
  await tx.lock({ workspaceId, scope: `user ${id}` });
  const before = await getRow(tx, workspaceId, id);
  const after = changedUserRow(before, changes);
  if (isDeepStrictEqual({ ...after, updated_at: before.updated_at }, before)) return userRecord(before);
  const isSuspended = before.state === 'active' && after.state === 'suspended';
  if (isSuspended) await lockOwners(tx, before);
  if (changes.email !== undefined || changes.aliases) {
    refuse([
      ...mergedAddressProblems(changes, after.email, aliasesOf(after)),
      ...formProblems(changes, addressesOf(before)),
    ]);
    await lockForms(tx, after);
    await claimAddresses(tx, after);
  }
  if (isSuspended) {
    await requireOtherOwner(tx, before);
    tx.afterCommit(onSuspended);
  }
  await store.updateUser(tx, after);
  emitUser(tx, 'user.changed', after);
  return userRecord(after);
}

async function getRow(tx: ReadTransaction, workspaceId: string, id: string): Promise<store.UserRow> {
  const row = await store.findUser(tx, workspaceId, id);
  if (!row) throw notFound('user', id);
  return row;
}

function emitUser(
  tx: WriteTransaction,
  type: 'user.created' | 'user.changed',
  { workspace_id: workspaceId, id }: UserRow,
): void {
  tx.emit({ workspaceId, type, viewers: [WORKSPACE_AUDIENCE], ids: { user_id: id } });
}

/**
 * Two owners who suspend each other at the same time must not both succeed. Called before the first write of the
 * transaction, as every lock is.
 */
async function lockOwners(
  tx: WriteTransaction,
  { is_owner, workspace_id: workspaceId }: UserRow,
): Promise<void> {
  if (is_owner !== 0) await tx.lock({ workspaceId, scope: `owners ${workspaceId}` });
}

/** Under the lock of `lockOwners`. */
async function requireOtherOwner(tx: WriteTransaction, user: store.UserRow): Promise<void> {
  if (user.is_owner === 0) return;
  if (await store.hasOtherActiveOwner(tx, user)) return;
  throw new ApiError('last_owner', 'The last active owner of the workspace cannot be suspended.', {
    user_id: user.id,
  });
}

/**
 * Two who claim both forms of an address at the same time must not both succeed, and no index compares forms. Called before the
 * first write of the transaction, as every lock is.
 */
async function lockForms(tx: WriteTransaction, user: store.UserRow): Promise<void> {
  for (const domain of twofoldDomains(addressesOf(user))) await tx.lockInstallation(`addresses of ${domain}`);
}

/** Under the locks of `lockForms`. */
async function claimAddresses(tx: WriteTransaction, user: store.UserRow): Promise<void> {
  const addresses = addressesOf(user);
  for (const address of addresses) {
    if (await isHeldInOtherForm(tx, user, address)) throw emailTaken(address);
  }
  const claimed = new Set(await store.replaceAddresses(tx, user, addresses.map(fold)));
  const taken = addresses.find((address) => !claimed.has(fold(address)));
  if (taken !== undefined) throw emailTaken(taken);
}

/** Mail for both forms of a domain goes to one mailbox, so a second user would take mail of the first. */
async function isHeldInOtherForm(
  tx: ReadTransaction,
  { id }: store.UserRow,
  address: string,
): Promise<boolean> {
  const [own, ascii] = addressForms(address);
  if (own === ascii) return false;
  return (await store.findHoldersOfForms(tx, own, ascii)).some((holder) => holder.user_id !== id);
}

function emailTaken(email: string): ApiError {
  return new ApiError('email_taken', `The address ${email} belongs to a user already.`, { email });
}

/** The user as the API shows it. */
function userRecord(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    aliases: aliasesOf(row),
    state: row.state,
    share_availability: row.share_availability === 1,
    time_zone: row.time_zone,
    working_hours: JSON.parse(row.working_hours),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

function newUserRow(workspaceId: string, given: NewUser, isOwner: boolean): UserRow {
  const now = Date.now();
  return withSearchText({
    workspace_id: workspaceId,
    id: newId('usr'),
    name: given.name,
    email: given.email,
    aliases: JSON.stringify(given.aliases ?? []),
    is_owner: isOwner ? 1 : 0,
    state: 'active',
    share_availability: 1,
    time_zone: spelledTimeZone(given.time_zone ?? 'UTC'),
    working_hours: storedHours(given.working_hours ?? []),
    search_text: '',
    created_at: now,
    updated_at: now,
  });
}

function changedUserRow(row: UserRow, changes: UserChanges): UserRow {
  const shares = changes.share_availability;
  return withSearchText({
    ...row,
    name: changes.name ?? row.name,
    email: changes.email ?? row.email,
    aliases: changes.aliases ? JSON.stringify(changes.aliases) : row.aliases,
    state: changes.state ?? row.state,
    share_availability: shares === undefined ? row.share_availability : Number(shares),
    time_zone: changes.time_zone === undefined ? row.time_zone : spelledTimeZone(changes.time_zone),
    working_hours: changes.working_hours ? storedHours(changes.working_hours) : row.working_hours,
    updated_at: Date.now(),
  });
}

function storedHours(hours: readonly WorkingPeriod[]): string {
  return JSON.stringify(hours.map(({ days, start, end }) => ({ days, start, end })));
}

function aliasesOf({ aliases }: UserRow): string[] {
  return JSON.parse(aliases);
}

/** All addresses of a user as given, the e-mail address first. */
function addressesOf(row: UserRow): string[] {
  return [row.email, ...aliasesOf(row)];
}

/** Fills in the search text: one text per line, so that no fragment matches across two texts. */
function withSearchText(row: UserRow): UserRow {
  return { ...row, search_text: fold([row.name, ...addressesOf(row)].join('\n')) };
}
