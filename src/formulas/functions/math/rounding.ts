import { cleanMultiple, cleanQuotient, roundDown, roundTo, roundUp } from '../../numerics/rounding.ts';
import { ERROR } from '../../values.ts';
import { numeric } from '../numeric.ts';

/** The next whole multiple of 2, counted from `offset`, away from zero. */
function awayByTwo(value: number, offset: 0 | 1): number {
  const magnitude = 2 * Math.ceil((Math.abs(value) - offset) / 2) + offset;
  return (value < 0 ? -1 : 1) * Math.max(magnitude, offset);
}

function multiple(value: number, step: number) {
  if (value === 0 || step === 0) return 0;
  if (value < 0 !== step < 0) return ERROR['#NUM!'];
  return cleanMultiple(Math.round(cleanQuotient(value, step)), step);
}

export const ROUNDING = [
  numeric('ROUND', 2, 2, roundTo),
  numeric('ROUNDUP', 2, 2, roundUp),
  numeric('ROUNDDOWN', 2, 2, roundDown),
  numeric('TRUNC', 1, 2, (value, decimals = 0) => roundDown(value, decimals)),
  numeric('INT', 1, 1, Math.floor),
  numeric('EVEN', 1, 1, (value) => awayByTwo(value, 0)),
  numeric('ODD', 1, 1, (value) => awayByTwo(value, 1)),
  numeric('MROUND', 2, 2, multiple, { addIn: true }),
];
