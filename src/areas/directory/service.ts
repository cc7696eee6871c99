import type { Page, PageRequest } from '../../contract/answers.ts';
import { newId } from '../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { listGroupIdsOf } from './group-store.ts';
import { createGroup, listGroups, updateGroup } from './groups.ts';
import {
  activeUsersOf,
  checkPrincipal,
  type GrantPrincipal,
  type NamedPrincipal,
  namesOf,
} from './principals.ts';
import { findResourceIds } from './resource-store.ts';
import { createResource, listResources } from './resources.ts';
import type {
  Group,
  GroupChanges,
  NewGroup,
  NewResource,
  NewUser,
  Resource,
  User,
  UserChanges,
} from './schema.ts';
import {
  type AddressHolder,
  createUser,
  type FoundHolder,
  type FoundUser,
  findAddressHolders,
  findRecipient,
  findUser,
  findWorkingHours,
  getUser,
  listUsers,
  type UserRef,
  type UserWorkingHours,
  updateUser,
} from './users.ts';
import { insertWorkspace, listWorkspaces, type WorkspaceRow } from './workspace-store.ts';

export { GroupChanges, NewGroup, NewResource, NewUser } from './schema.ts';
export { userProblems } from './user-rules.ts';
export type { AddressHolder, FoundUser, GrantPrincipal, NamedPrincipal, UserRef };

/** A workspace as commands show it. */
export interface Workspace {
  id: string;
  name: string;
  created_at: string;
}

/** Creates data of another area for every new user, in the transaction that creates the user. */
export type UserCreatedHook = (tx: WriteTransaction, user: UserRef) => Promise<void>;

/** The rules of workspaces, users, groups and resources. Every method acts within the caller's transaction. */
export class DirectoryService {
  readonly #onUserCreated: readonly UserCreatedHook[];
  readonly #onAccessChange: () => void;

  /** `onAccessChange` is called once a change that makes keys invalid is durable. */
  constructor(dependencies: { onUserCreated: readonly UserCreatedHook[]; onAccessChange: () => void }) {
    this.#onUserCreated = dependencies.onUserCreated;
    this.#onAccessChange = dependencies.onAccessChange;
  }

  /** All workspaces of the database in order of creation. */
  async listWorkspaces(tx: ReadTransaction): Promise<Workspace[]> {
    return (await listWorkspaces(tx)).map(workspaceRecord);
  }

  async createWorkspace(tx: WriteTransaction, name: string): Promise<Workspace> {
    const row = { id: newId('wsp'), name, created_at: Date.now() };
    await insertWorkspace(tx, row);
    return workspaceRecord(row);
  }

  /** In order of creation; `q` is a fragment of a name or an address, "" for all. */
  listUsers(tx: ReadTransaction, workspaceId: string, q: string, page: PageRequest): Promise<Page<User>> {
    return listUsers(tx, workspaceId, q, page);
  }

  /** Throws ApiError not_found. */
  getUser(tx: ReadTransaction, workspaceId: string, id: string): Promise<User> {
    return getUser(tx, workspaceId, id);
  }

  /** The user of any workspace with this id or address (e-mail or alias, ignoring case). */
  findUser(tx: ReadTransaction, idOrAddress: string): Promise<FoundUser | undefined> {
    return findUser(tx, idOrAddress);
  }

  /** The users of a workspace that have these addresses (e-mail or alias), by case-folded address. */
  findAddressHolders(
    tx: ReadTransaction,
    workspaceId: string,
    foldedAddresses: readonly string[],
  ): Promise<Map<string, AddressHolder>> {
    return findAddressHolders(tx, workspaceId, foldedAddresses);
  }

  /** When users of a workspace work; unknown ids are left out. */
  findWorkingHours(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<UserWorkingHours[]> {
    return findWorkingHours(tx, workspaceId, ids);
  }

  /** The active user of any workspace with this address or alias, ignoring case: the user who receives its mail. */
  findRecipient(tx: ReadTransaction, address: string): Promise<FoundHolder | undefined> {
    return findRecipient(tx, address);
  }

  /** Throws ApiError email_taken. */
  async createUser(
    tx: WriteTransaction,
    workspaceId: string,
    given: NewUser,
    { isOwner = false } = {},
  ): Promise<User> {
    const user = await createUser(tx, workspaceId, given, isOwner);
    for (const hook of this.#onUserCreated) await hook(tx, { workspaceId, userId: user.id });
    return user;
  }

  /** Throws ApiError not_found, validation_failed, email_taken or last_owner. */
  updateUser(tx: WriteTransaction, workspaceId: string, id: string, changes: UserChanges): Promise<User> {
    return updateUser(tx, workspaceId, id, changes, this.#onAccessChange);
  }

  /** In order of creation. */
  listGroups(tx: ReadTransaction, workspaceId: string, page: PageRequest): Promise<Page<Group>> {
    return listGroups(tx, workspaceId, page);
  }

  /** Throws ApiError not_found for a member that is not a user of the workspace. */
  createGroup(tx: WriteTransaction, workspaceId: string, given: NewGroup): Promise<Group> {
    return createGroup(tx, workspaceId, given);
  }

  /** Throws ApiError not_found for the group, or for a member that is not a user of the workspace. */
  updateGroup(tx: WriteTransaction, workspaceId: string, id: string, changes: GroupChanges): Promise<Group> {
    return updateGroup(tx, workspaceId, id, changes);
  }

  /** The ids of the groups that a user is a member of. */
  listGroupIdsOf(tx: ReadTransaction, user: UserRef): Promise<string[]> {
    return listGroupIdsOf(tx, user);
  }

  /** Throws ApiError not_found unless the workspace has this user or group. */
  checkPrincipal(tx: ReadTransaction, workspaceId: string, principal: GrantPrincipal): Promise<void> {
    return checkPrincipal(tx, workspaceId, principal);
  }

  /** The names of those of these principals that the workspace has, by id; of users their addresses too. */
  namesOf(
    tx: ReadTransaction,
    workspaceId: string,
    principals: readonly GrantPrincipal[],
  ): Promise<Map<string, NamedPrincipal>> {
    return namesOf(tx, workspaceId, principals);
  }

  /** For each of these principals its active users: the user, or the members of the group. */
  activeUsersOf(
    tx: ReadTransaction,
    workspaceId: string,
    principals: readonly GrantPrincipal[],
  ): Promise<Map<string, string[]>> {
    return activeUsersOf(tx, workspaceId, principals);
  }

  /** In order of creation. */
  listResources(tx: ReadTransaction, workspaceId: string, page: PageRequest): Promise<Page<Resource>> {
    return listResources(tx, workspaceId, page);
  }

  createResource(tx: WriteTransaction, workspaceId: string, given: NewResource): Promise<Resource> {
    return createResource(tx, workspaceId, given);
  }

  /** Those of these ids that are resources of the workspace. */
  findResourceIds(tx: ReadTransaction, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
    return findResourceIds(tx, workspaceId, ids);
  }
}

function workspaceRecord({ id, name, created_at }: WorkspaceRow): Workspace {
  return { id, name, created_at: new Date(created_at).toISOString() };
}
