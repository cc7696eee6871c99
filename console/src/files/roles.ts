import type { ListedFolder } from '../../../client/src/index.ts';
import type { filesTexts } from './texts.ts';

export type Role = NonNullable<ListedFolder['role']>;

/** To rename, trash or add to something; to move it to another folder. */
export type Ability = 'change' | 'move';

const RANKS: Record<Role, number> = { viewer: 0, commenter: 1, editor: 2, manager: 3, owner: 4 };
const NEEDED: Record<Ability, Role> = { change: 'editor', move: 'owner' };

/** What tells the role of the person; where it does not, the server decides. */
interface WithRole {
  role?: Role;
}

/** Whether the person can do something to all of these. */
export function can(ability: Ability, ...items: readonly WithRole[]): boolean {
  return items.every(({ role }) => role === undefined || RANKS[role] >= RANKS[NEEDED[ability]]);
}

/** Why the person cannot do something to these; undefined where they can. */
export function reasonAgainst(
  ability: Ability,
  items: readonly WithRole[],
  texts: typeof filesTexts.en,
): string | undefined {
  if (can(ability, ...items)) return undefined;
  if (can('change', ...items)) return texts.onlyOwnerMoves;
  return texts.mayNotChange(items.length);
}

/** A role in words; "" of what is one's own. */
export function roleText(role: Role | undefined, texts: typeof filesTexts.en): string {
  return role === undefined || role === 'owner' ? '' : texts[role];
}
