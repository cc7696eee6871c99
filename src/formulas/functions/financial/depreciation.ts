import { roundTo } from '../../numerics/rounding.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { define } from '../define.ts';
import { numeric } from '../numeric.ts';

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

/** What a whole or broken period takes by the double declining balance, never below the salvage. */
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

/** What a part of the life takes by declining balance, going over to the straight line once that takes more. */
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
