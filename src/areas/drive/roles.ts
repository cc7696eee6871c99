import type { NodeRole } from '../../storage/schema/tables.ts';

/** What someone is to a file or document. */
export type Role = NodeRole | 'owner';

/** From the least to the most; each may do what those before it may. */
export const ROLES: readonly Role[] = ['viewer', 'commenter', 'editor', 'manager', 'owner'];

/** The least role that may do each thing. */
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
  // Folders belong to the owner, and only the owner sees them.
  move: 'owner',
} as const satisfies Record<string, Role>;

/** Something that is done with a file or document. */
export type NodeAction = keyof typeof REQUIRED_ROLES;

export function mayDo(role: Role, action: NodeAction): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(REQUIRED_ROLES[action]);
}

/** The highest of several; undefined of none. */
export function highestOf(roles: readonly Role[]): Role | undefined {
  return ROLES.findLast((role) => roles.includes(role));
}

/** Whether one role may do more than another. */
export function isHigher(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) > ROLES.indexOf(other);
}
