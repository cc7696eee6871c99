import type { Objects, World } from '../refusals/world.ts';
import { type Kind, OF_THE_WORKSPACE, type Reference } from './references.ts';

/** Well formed, and never made. */
const NEVER_MADE = '01h2xcejqtf2nbrexx3vqjhp41';

/** Ids that a place must not take, by whose they are. `more` are the caller's own, of other parents. */
export function foreignIds(
  { mine, colleagues, strangers }: Pick<World, 'mine' | 'colleagues' | 'strangers'>,
  more: Objects,
  { kinds, isWithin }: Reference,
): Record<string, string> {
  const others = (Object.keys(mine) as Kind[]).filter((kind) => !kinds.includes(kind));
  return Object.fromEntries([
    ...kinds.map((kind) => [`${kind} of another workspace`, strangers[kind]]),
    ...kinds.filter(isPrivate).map((kind) => [`${kind} of a colleague`, colleagues[kind]]),
    ...kinds.map((kind) => [`${kind} that never was`, `${mine[kind].split('_')[0]}_${NEVER_MADE}`]),
    ...others.map((kind) => [`one's own ${kind}`, mine[kind]]),
    ...(isWithin ? kinds.map((kind) => [`${kind} of another object`, more[kind]]) : []),
  ]);
}

/** Whether another user of the workspace has it for himself. */
function isPrivate(kind: Kind): boolean {
  return !OF_THE_WORKSPACE.has(kind);
}
