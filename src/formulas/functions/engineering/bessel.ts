import { besselI, besselJ, besselK, besselY } from '../../numerics/bessel.ts';
import { ERROR } from '../../values.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';

/** Work grows with the order and, for J and Y, with x; results for larger arguments have no correct digit. */
const LARGEST_ORDER = 1e6;
const LARGEST_X = 2 ** 27;

function bessel(
  name: string,
  compute: (order: number, x: number) => number,
  isDefined: (x: number) => boolean,
): FormulaFunction {
  const call = (x: number, given: number, context: CallContext) => {
    const order = Math.trunc(given);
    if (order < 0 || order > LARGEST_ORDER || Math.abs(x) > LARGEST_X || !isDefined(x)) return ERROR['#NUM!'];
    context.spend(order);
    return compute(order, x);
  };
  return define(name, ['number', 'number'], ([x, order], context) => call(x, order, context), {
    addIn: true,
  });
}

const everywhere = () => true;
const aboveZero = (x: number) => x > 0;

export const BESSEL = [
  bessel('BESSELJ', besselJ, everywhere),
  bessel('BESSELY', besselY, aboveZero),
  bessel('BESSELI', besselI, everywhere),
  bessel('BESSELK', besselK, aboveZero),
];
