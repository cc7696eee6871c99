import { CellError, ERROR, type NumericResult } from '../../values.ts';
import { numeric } from '../numeric.ts';
import { termOf } from './bond-function.ts';
import { monthsFrom } from './schedule.ts';

const NUM = ERROR['#NUM!'];

/** Declares a function of a bill: it ends within a year of its settlement. */
function bill(name: string, compute: (days: number, given: number) => NumericResult) {
  return numeric(name, 3, 3, (settlement, maturity, given) => {
    const term = termOf(settlement, maturity);
    if (term instanceof CellError) return term;
    if (given <= 0 || term.maturity > monthsFrom(term.settlement, 12)) return NUM;
    return compute(term.maturity - term.settlement, given);
  });
}

/** The yield of a bond that would pay as much; one of more than half a year would pay a coupon meanwhile. */
function bondYield(days: number, discount: number): NumericResult {
  if (days <= 182) return (365 * discount) / (360 - discount * days);
  const price = 1 - (discount * days) / 360;
  const term = days / (days === 366 ? 366 : 365);
  if (price <= 0) return NUM;
  return (2 * (Math.sqrt(term * term - (2 * term - 1) * (1 - 1 / price)) - term)) / (2 * term - 1);
}

export const TREASURY_BILLS = [
  bill('TBILLPRICE', (days, discount) => {
    const price = 100 * (1 - (discount * days) / 360);
    return price < 0 ? NUM : price;
  }),
  bill('TBILLYIELD', (days, price) => ((100 - price) / price) * (360 / days)),
  bill('TBILLEQ', bondYield),
];
