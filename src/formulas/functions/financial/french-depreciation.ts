import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { type Basis, isBasis, yearsBetween } from './day-basis.ts';

interface Asset {
  readonly cost: number;
  readonly salvage: number;
  readonly rate: number;
  /** The part of the first year in which the asset is there. */
  readonly firstYear: number;
}

/** What a period takes in a straight line, the first and the last one in part. */
function linear({ cost, salvage, rate, firstYear }: Asset, period: number): number {
  const whole = cost * rate;
  const first = cost * rate * firstYear;
  const worth = cost - salvage;
  if (period === 0) return Math.min(first, worth);
  const left = worth - first - whole * (period - 1);
  return Math.max(0, Math.min(whole, left));
}

/** The longer the life, the faster French law lets an asset decline. */
function coefficient(life: number): number {
  if (life < 3) return 1;
  if (life < 5) return 1.5;
  return life <= 6 ? 2 : 2.5;
}

/** What a period takes by the declining rate, in whole units of money; the last two share what is left. */
function degressive({ cost, salvage, rate, firstYear }: Asset, period: number): number {
  const faster = rate * coefficient(1 / rate);
  let taken = Math.round(firstYear * faster * cost);
  let worth = cost - taken;
  let rest = worth - salvage;
  for (let n = 0; n < period; n += 1) {
    taken = Math.round(faster * worth);
    rest -= taken;
    if (rest < 0) return period - n < 2 ? Math.round(worth * 0.5) : 0;
    worth -= taken;
  }
  return taken;
}

function declare(name: string, compute: (asset: Asset, period: number) => number) {
  return define(
    name,
    ['number', 'number', 'number', 'number', 'number', 'number', 'number'],
    ([cost, bought, firstEnd, salvage, given, rate, basis = 0], context): Value => {
      const [from, to, period] = [bought, firstEnd, given].map(Math.trunc) as [number, number, number];
      const count = Math.trunc(basis);
      if (!isBasis(count) || count === 2) return ERROR['#NUM!'];
      if (cost < 0 || salvage < 0 || salvage > cost || period < 0 || rate <= 0 || from > to)
        return ERROR['#NUM!'];
      context.spend(period);
      return compute({ cost, salvage, rate, firstYear: firstYear(from, to, count) }, period);
    },
    { required: 6 },
  );
}

function firstYear(from: number, to: number, basis: Basis): number {
  return yearsBetween(from, to, basis);
}

export const FRENCH_DEPRECIATION = [declare('AMORLINC', linear), declare('AMORDEGRC', degressive)];
