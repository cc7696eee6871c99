import { cleanMultiple, cleanQuotient, roundDown, roundTo, roundUp } from '../../numerics/rounding.ts';
import { ERROR } from '../../values.ts';
import { alias, numeric } from '../numbers.ts';

type Whole = (quotient: number) => number;

/** Rounds to a multiple of a step of the same sign; a negative number also to a positive step. */
function toMultiple(value: number, step: number, whole: Whole) {
  if (value > 0 && step < 0) return ERROR['#NUM!'];
  return cleanMultiple(whole(cleanQuotient(value, step)), step);
}

/** Rounds up or down the number line to a multiple, regardless of the sign of the step. */
function precise(value: number, step: number, whole: Whole): number {
  return step === 0 ? 0 : cleanMultiple(whole(cleanQuotient(value, Math.abs(step))), Math.abs(step));
}

/** Like `precise`, but a mode reverses the direction for negative numbers. */
function math(value: number, step: number, mode: number, whole: Whole): number {
  return value < 0 && mode !== 0 ? -precise(-value, step, whole) : precise(value, step, whole);
}

const ceilingPrecise = numeric(
  'CEILING.PRECISE',
  1,
  2,
  (value, step = 1) => precise(value, step, Math.ceil),
  { leftOutBy: 'gap' },
);

export const CEILINGS = [
  numeric('CEILING', 2, 2, (value, step) => (step === 0 ? 0 : toMultiple(value, step, Math.ceil))),
  numeric('FLOOR', 2, 2, (value, step) => {
    if (step === 0) return value === 0 ? 0 : ERROR['#DIV/0!'];
    return toMultiple(value, step, Math.floor);
  }),
  ceilingPrecise,
  alias('ISO.CEILING', ceilingPrecise),
  numeric('FLOOR.PRECISE', 1, 2, (value, step = 1) => precise(value, step, Math.floor), {
    leftOutBy: 'gap',
  }),
  numeric('CEILING.MATH', 1, 3, (value, step = 1, mode = 0) => math(value, step, mode, Math.ceil), {
    leftOutBy: 'gap',
  }),
  numeric('FLOOR.MATH', 1, 3, (value, step = 1, mode = 0) => math(value, step, mode, Math.floor), {
    leftOutBy: 'gap',
  }),
];

/** Rounds away from zero to an even (offset 0) or odd (offset 1) integer. */
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
