import { ApiError, notFound } from '../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import { findNode, type NodeKind, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { highestOf, mayDo, type NodeAction, REQUIRED_ROLES, type Role } from './roles.ts';
import { findRoles } from './sharing/grant-store.ts';

/** The node that a request names: its id and the kinds that are allowed. */
export interface Wanted {
  id: string;
  kinds: readonly NodeKind[];
  /** Name of the resource in a not_found error. */
  resource: string;
}

/** A node that a user has access to, and the role of the user. */
export interface Reached {
  node: NodeRow;
  role: Role;
}

/** Access control: owners, and principals with a grant, directly or through a group. */
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

  async #reach(tx: ReadTransaction, user: DriveOwner, { id, kinds, resource }: Wanted): Promise<Reached> {
    const node = await findNode(tx, user.workspaceId, id);
    const role = node && kinds.includes(node.kind) ? await this.#roleOn(tx, user, node) : undefined;
    if (!node || !role) throw notFound(resource, id);
    return { node, role };
  }

  async #roleOn(tx: ReadTransaction, user: DriveOwner, node: NodeRow): Promise<Role | undefined> {
    if (node.owner_id === user.userId) return 'owner';
    const principalIds = await this.principalIdsOf(tx, user);
    return highestOf(await findRoles(tx, user.workspaceId, node.id, principalIds));
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
