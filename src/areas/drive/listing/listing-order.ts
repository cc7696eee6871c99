import { ID_DIGITS } from '../../../platform/ids.ts';
import type { NodeRow } from '../node-store.ts';

/** Milliseconds since the epoch; base 32 has nine digits for them. */
const LATEST = 2 ** 45 - 1;

/** The place of a node in the order of every listing, newest first and then by id: a text that sorts so. */
export function placeOf({ id, created_at }: Pick<NodeRow, 'id' | 'created_at'>): string {
  const time = (LATEST - created_at).toString(32).padStart(9, '0');
  return time + [...id.slice(id.indexOf('_') + 1)].map(opposite).join('');
}

function opposite(digit: string): string {
  return ID_DIGITS[ID_DIGITS.length - 1 - ID_DIGITS.indexOf(digit)] ?? digit;
}
