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
export { newUserProblems } from './user-rules.ts';
export type { AddressHolder, FoundUser, GrantPrincipal, NamedPrincipal, UserRef };

/** A workspace as commands show it. */
export interface Workspace {
  id: string;
  name: string;
  created_at: string;
}

/** Creates data of another area for every new user, in the transaction that creates the user. */
export type UserCreatedHook = (tx: WriteTransaction, user: UserRef) => Promise<void>;

/** What others ask of workspaces, users, groups and resources. Every method acts within the caller's transaction. */
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

  listUsers(tx: ReadTransaction, workspaceId: string, q: string, page: PageRequest): Promise<Page<User>> {
    return listUsers(tx, workspaceId, q, page);
  }

  getUser(tx: ReadTransaction, workspaceId: string, id: string): Promise<User> {
    return getUser(tx, workspaceId, id);
  }

  findUser(tx: ReadTransaction, idOrAddress: string): Promise<FoundUser | undefined> {
    return findUser(tx, idOrAddress);
  }

  findAddressHolders(
    tx: ReadTransaction,
    workspaceId: string,
    foldedAddresses: readonly string[],
  ): Promise<Map<string, AddressHolder>> {
    return findAddressHolders(tx, workspaceId, foldedAddresses);
  }

  findWorkingHours(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<UserWorkingHours[]> {
    return findWorkingHours(tx, workspaceId, ids);
  }

  findRecipient(tx: ReadTransaction, address: string, likely?: UserRef): Promise<FoundHolder | undefined> {
    return findRecipient(tx, address, likely);
  }

  /** As the use case, with what other areas create for a new user. Throws ApiError email_taken. */
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

  updateUser(tx: WriteTransaction, workspaceId: string, id: string, changes: UserChanges): Promise<User> {
    return updateUser(tx, workspaceId, id, changes, this.#onAccessChange);
  }

  listGroups(tx: ReadTransaction, workspaceId: string, page: PageRequest): Promise<Page<Group>> {
    return listGroups(tx, workspaceId, page);
  }

  createGroup(tx: WriteTransaction, workspaceId: string, given: NewGroup): Promise<Group> {
    return createGroup(tx, workspaceId, given);
  }

  updateGroup(tx: WriteTransaction, workspaceId: string, id: string, changes: GroupChanges): Promise<Group> {
    return updateGroup(tx, workspaceId, id, changes);
  }

  listGroupIdsOf(tx: ReadTransaction, user: UserRef): Promise<string[]> {
    return listGroupIdsOf(tx, user);
  }

  checkPrincipal(tx: ReadTransaction, workspaceId: string, principal: GrantPrincipal): Promise<void> {
    return checkPrincipal(tx, workspaceId, principal);
  }

  namesOf(
    tx: ReadTransaction,
    workspaceId: string,
    principals: readonly GrantPrincipal[],
  ): Promise<Map<string, NamedPrincipal>> {
    return namesOf(tx, workspaceId, principals);
  }

  activeUsersOf(
    tx: ReadTransaction,
    workspaceId: string,
    principals: readonly GrantPrincipal[],
  ): Promise<Map<string, string[]>> {
    return activeUsersOf(tx, workspaceId, principals);
  }

  listResources(tx: ReadTransaction, workspaceId: string, page: PageRequest): Promise<Page<Resource>> {
    return listResources(tx, workspaceId, page);
  }

  createResource(tx: WriteTransaction, workspaceId: string, given: NewResource): Promise<Resource> {
    return createResource(tx, workspaceId, given);
  }

  findResourceIds(tx: ReadTransaction, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
    return findResourceIds(tx, workspaceId, ids);
  }
}

function workspaceRecord({ id, name, created_at }: WorkspaceRow): Workspace {
  return { id, name, created_at: new Date(created_at).toISOString() };
}
