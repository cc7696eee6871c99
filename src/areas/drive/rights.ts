import { ApiError, notFound } from '../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { NodeRole } from '../../storage/schema/tables.ts';
import type { DirectoryService } from '../directory/service.ts';
import { findNode, type NodeKind, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { findReached, findRoles } from './sharing/chain-store.ts';
import { grantedPrincipals } from './sharing/grant-store.ts';

/** The role of a user for a file or document. */
export type Role = NodeRole | 'owner';

/** In ascending order; each role includes the rights of those before it. */
export const ROLES: readonly Role[] = ['viewer', 'commenter', 'editor', 'manager', 'owner'];

/** The lowest role for each action. */
export const REQUIRED_ROLES = {
  read: 'viewer',
  readContent: 'viewer',
  // "the content of a trashed file stays readable to its owner"
  readTrashedContent: 'owner',
  listGrants: 'viewer',
  writeContent: 'editor',
  rename: 'editor',
  describe: 'editor',
  trash: 'editor',
  restore: 'editor',
  share: 'manager',
  // What is added to a folder belongs to the owner of the folder.
  addTo: 'editor',
  // It may take a node away from those whom a folder is shared with, or show it to them.
  move: 'owner',
} as const satisfies Record<string, Role>;

/** An action on a file or document. */
export type NodeAction = keyof typeof REQUIRED_ROLES;

export function mayDo(role: Role, action: NodeAction): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(REQUIRED_ROLES[action]);
}

/** The highest of several roles; undefined for an empty list. */
export function highestOf(roles: readonly Role[]): Role | undefined {
  return ROLES.findLast((role) => roles.includes(role));
}

/** Whether a role is higher than another one. */
export function isHigher(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(other);
}

/** The node that a request names: its id and the kinds that are allowed. */
export interface Wanted {
  id: string;
  kinds: readonly NodeKind[];
  /** Name of the resource in a not_found error. */
  resource: string;
  /** The message of that error, where it tells more than that there is none. */
  refusal?: string;
}

/** A node that a user has access to, and the role of the user. */
export interface Reached {
  node: NodeRow;
  role: Role;
}

/** Access control: owners, and principals with a grant on a node or on a folder above it, directly or through a group. */
export class Rights {
  readonly #directory: DirectoryService;

  constructor(directory: DirectoryService) {
    this.#directory = directory;
  }

  /** Throws ApiError not_found for a node that the user does not see, forbidden if the role is too low for the action. */
  async require(tx: ReadTransaction, user: DriveOwner, wanted: Wanted, action: NodeAction): Promise<Reached> {
    const reached = await this.#reach(tx, user, wanted);
    checkRole(reached, action);
    return reached;
  }

  /** The same with the lock of the owner's tree: the result remains true until the transaction ends. */
  async requireLocked(
    tx: WriteTransaction,
    user: DriveOwner,
    wanted: Wanted,
    action: NodeAction,
  ): Promise<Reached> {
    const { node } = await this.#reach(tx, user, wanted);
    await tx.lock(driveLock(ownerOf(node)));
    return this.require(tx, user, wanted, action);
  }

  /** The principals that a user acts as: the user and the user's groups. */
  async principalIdsOf(tx: ReadTransaction, user: DriveOwner): Promise<string[]> {
    return [user.userId, ...(await this.#directory.listGroupIdsOf(tx, user))];
  }

  /** Those of them that have any grant. */
  grantedPrincipalIdsOf(tx: ReadTransaction, user: DriveOwner): Promise<string[]> {
    return grantedPrincipals(tx, user);
  }

  /** Those of the nodes of others that a user has a role on. */
  async reachedAmong(
    tx: ReadTransaction,
    user: DriveOwner,
    nodeIds: readonly string[],
  ): Promise<Set<string>> {
    if (nodeIds.length === 0) return new Set();
    return findReached(tx, user.workspaceId, nodeIds, await this.principalIdsOf(tx, user));
  }

  /** The highest role of a user on each of these nodes; those that the user does not see have none. */
  async rolesOn(
    tx: ReadTransaction,
    user: DriveOwner,
    nodes: readonly { id: string; owner_id: string }[],
  ): Promise<Map<string, Role>> {
    const roles = new Map<string, Role>();
    const others: string[] = [];
    for (const { id, owner_id } of nodes) {
      if (owner_id === user.userId) roles.set(id, 'owner');
      else others.push(id);
    }
    if (others.length === 0) return roles;
    const found = await findRoles(tx, user.workspaceId, others, await this.principalIdsOf(tx, user));
    for (const { node_id: id, role } of found) {
      const before = roles.get(id);
      if (before === undefined || isHigher(role, before)) roles.set(id, role);
    }
    return roles;
  }

  /**
   * The node with the role of the user; undefined where the user does not see it. `granted`: the principals of the user
   * that have any grant, where they are known.
   */
  async find(
    tx: ReadTransaction,
    user: DriveOwner,
    { id, kinds }: Wanted,
    granted?: readonly string[],
  ): Promise<Reached | undefined> {
    const node = await findNode(tx, user.workspaceId, id);
    const role = node && kinds.includes(node.kind) ? await this.#roleOn(tx, user, node, granted) : undefined;
    return node && role && { node, role };
  }

  async #reach(tx: ReadTransaction, user: DriveOwner, wanted: Wanted): Promise<Reached> {
    const reached = await this.find(tx, user, wanted);
    if (reached) return reached;
    const { resource, id, refusal } = wanted;
    throw refusal === undefined
      ? notFound(resource, id)
      : new ApiError('not_found', refusal, { resource, id });
  }

  async #roleOn(
    tx: ReadTransaction,
    user: DriveOwner,
    node: NodeRow,
    granted?: readonly string[],
  ): Promise<Role | undefined> {
    if (node.owner_id === user.userId) return 'owner';
    const principalIds = granted ?? (await this.principalIdsOf(tx, user));
    const roles = await findRoles(tx, user.workspaceId, [node.id], principalIds);
    return highestOf(roles.map(({ role }) => role));
  }
}

/** Throws ApiError forbidden if the role is too low for the action. */
export function checkRole({ role }: Reached, action: NodeAction): void {
  if (mayDo(role, action)) return;
  const required = REQUIRED_ROLES[action];
  throw new ApiError('forbidden', `Only the role ${required} may do this; yours is ${role}.`, {
    required_role: required,
  });
}

/** The owner of the tree that a node belongs to. */
export function ownerOf({ workspace_id, owner_id }: NodeRow): DriveOwner {
  return { workspaceId: workspace_id, userId: owner_id };
}

/** What a record of a node tells of whose it is. */
interface OwnedRecord {
  id: string;
  owner_id: string;
}

/** Records of nodes that a user reaches, as JSON texts, each with the role of the user at its end. */
export async function withOwnRoles(
  tx: ReadTransaction,
  rights: Rights,
  user: DriveOwner,
  records: readonly string[],
): Promise<string[]> {
  const owned = records.map((record) => JSON.parse(record) as OwnedRecord);
  const roles = await rights.rolesOn(tx, user, owned);
  return owned.map((record) => JSON.stringify({ ...record, role: roles.get(record.id) }));
}
