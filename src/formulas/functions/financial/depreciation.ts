import { roundTo } from '../../numerics/rounding.ts';
import { ERROR, type NumericResult, type Value } from '../../values.ts';
import { define } from '../function.ts';
import { numeric } from '../numbers.ts';
import { type Basis, isBasis, yearsBetween } from './coupons.ts';

const NUM = ERROR['#NUM!'];

function declining(cost: number, salvage: number, life: number, period: number, month = 12): NumericResult {
  const [periods, months] = [Math.trunc(period), Math.trunc(month)];
  if (cost < 0 || salvage < 0 || life <= 0 || periods < 1 || months < 1 || months > 12) return NUM;
  if (periods > life + 1 || (periods > life && months === 12)) return NUM;
  if (cost === 0) return 0;
  const rate = roundTo(1 - (salvage / cost) ** (1 / life), 3);
  const first = (cost * rate * months) / 12;
  if (periods === 1) return first;
  const left = (cost - first) * (1 - rate) ** (periods - 2);
  return periods > life ? (left * rate * (12 - months)) / 12 : left * rate;
}

/** The depreciation of a complete or partial period by double declining balance, never below the salvage value. */
function doubleDeclining(
  cost: number,
  salvage: number,
  life: number,
  period: number,
  factor: number,
): number {
  const rate = Math.min(1, factor / life);
  const before = rate === 1 ? (period === 1 ? cost : 0) : cost * (1 - rate) ** (period - 1);
  const after = cost * (1 - rate) ** period;
  return Math.max(0, before - Math.max(after, salvage));
}

function checkedDoubleDeclining(
  cost: number,
  salvage: number,
  life: number,
  period: number,
  factor = 2,
): NumericResult {
  if (cost < 0 || salvage < 0 || life <= 0 || period <= 0 || period > life || factor <= 0) return NUM;
  return doubleDeclining(cost, salvage, life, period, factor);
}

interface Asset {
  readonly cost: number;
  readonly salvage: number;
  readonly life: number;
  readonly factor: number;
}

/** The depreciation of an interval by declining balance, with a switch to straight line once that is higher. */
function variable(
  { cost, salvage, life, factor }: Asset,
  start: number,
  end: number,
  switches: boolean,
): number {
  let total = 0;
  let [left, straight, isStraight] = [cost - salvage, 0, false];
  for (let period = 1; period <= Math.ceil(end); period += 1) {
    const falling = doubleDeclining(cost, salvage, life, period, factor);
    if (switches && !isStraight) {
      straight = left / (life - period + 1);
      isStraight = straight > falling;
    }
    const taken = isStraight ? straight : falling;
    left -= taken;
    const within = Math.max(0, Math.min(end, period) - Math.max(start, period - 1));
    total += taken * within;
  }
  return total;
}

const VDB = define(
  'VDB',
  ['number', 'number', 'number', 'number', 'number', 'number', 'logical'],
  ([cost, salvage, life, start, end, factor = 2, stays = false], context) => {
    if (cost < 0 || salvage < 0 || life <= 0 || start < 0 || end < start || end > life || factor < 0)
      return NUM;
    context.spend(end);
    return variable({ cost, salvage, life, factor }, start, end, !stays);
  },
  { required: 5 },
);

export const DEPRECIATION = [
  numeric('SLN', 3, 3, (cost, salvage, life) => (life === 0 ? ERROR['#DIV/0!'] : (cost - salvage) / life)),
  numeric('SYD', 4, 4, (cost, salvage, life, period) =>
    salvage < 0 || life <= 0 || period <= 0 || period > life
      ? NUM
      : ((cost - salvage) * (life - period + 1) * 2) / (life * (life + 1)),
  ),
  numeric('DB', 4, 5, declining),
  numeric('DDB', 4, 5, checkedDoubleDeclining),
  VDB,
];

interface FrenchAsset {
  readonly cost: number;
  readonly salvage: number;
  readonly rate: number;
  /** The fraction of the first year with the asset. */
  readonly firstYear: number;
}

/** The straight-line depreciation of a period, prorated in the first and last one. */
function linear({ cost, salvage, rate, firstYear }: FrenchAsset, period: number): number {
  const whole = cost * rate;
  const first = cost * rate * firstYear;
  const worth = cost - salvage;
  if (period === 0) return Math.min(first, worth);
  const left = worth - first - whole * (period - 1);
  return Math.max(0, Math.min(whole, left));
}

/** The French declining-balance coefficient, which grows with the life of the asset. */
function coefficient(life: number): number {
  if (life < 3) return 1;
  if (life < 5) return 1.5;
  return life <= 6 ? 2 : 2.5;
}

/** The declining depreciation of a period in integer currency units; the last two periods share the rest. */
function degressive({ cost, salvage, rate, firstYear }: FrenchAsset, period: number): number {
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

function declare(name: string, compute: (asset: FrenchAsset, period: number) => number) {
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
