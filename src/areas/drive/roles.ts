import type { NodeRole } from '../../storage/schema/tables.ts';

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
  // Folders belong to the owner, and only the owner sees them.
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
