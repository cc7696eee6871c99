import { ApiError, notFound } from '../../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import { findNode, type NodeKind, type NodeRow } from './node-store.ts';
import { type DriveOwner, driveLock } from './owner.ts';
import { highestOf, mayDo, type NodeAction, REQUIRED_ROLES, type Role } from './roles.ts';
import { findRoles } from './sharing/grant-store.ts';

/** What a request names: an id, and what it has to be the id of. */
export interface Wanted {
  id: string;
  kinds: readonly NodeKind[];
  /** What a refusal calls it. */
  resource: string;
}

/** A node that somebody may see, and what they are to it. */
export interface Reached {
  node: NodeRow;
  role: Role;
}

/** Who may see and do what: owners, and those to whom something is granted, themselves or through a group. */
export class Rights {
  readonly #directory: DirectoryService;

  constructor(directory: DirectoryService) {
    this.#directory = directory;
  }

  /** Throws ApiError not_found for what the user does not see, forbidden where the role is too low for the action. */
  async require(tx: ReadTransaction, user: DriveOwner, wanted: Wanted, action: NodeAction): Promise<Reached> {
    const reached = await this.#reach(tx, user, wanted);
    checkRole(reached, action);
    return reached;
  }

  /** The same, with the lock of the owner's tree held: what is answered stays so until the transaction ends. */
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

  /** The principals that a user acts as: the user, and the user's groups. */
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

/** Throws ApiError forbidden where the role is too low for the action. */
export function checkRole({ role }: Reached, action: NodeAction): void {
  if (mayDo(role, action)) return;
  const required = REQUIRED_ROLES[action];
  throw new ApiError('forbidden', `Only the role ${required} may do this; yours is ${role}.`, {
    required_role: required,
  });
}

/** Whose tree a node is in. */
export function ownerOf({ workspace_id, owner_id }: NodeRow): DriveOwner {
  return { workspaceId: workspace_id, userId: owner_id };
}
