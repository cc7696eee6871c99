import type { Column } from './column.ts';
import { KIND, KIND_BITS } from './kinds.ts';

const BLOCK_BITS = 8;

/**
 * Numbers whose sum is that of the rows of a column; undefined when there is an error among them. Whole blocks of rows
 * are added up once and kept until a cell in them changes: 50,000 running sums are not a billion additions.
 */
export function sumsOf(cells: Column, top: number, bottom: number): readonly number[] | undefined {
  const found: number[] = [];
  for (let row = top; row <= bottom; ) {
    const slot = cells.from(row);
    if (slot >= cells.count) break;
    const first = Math.max(row, cells.rows[slot] as number);
    const start = (first >> BLOCK_BITS) << BLOCK_BITS;
    const end = Math.min(start + (1 << BLOCK_BITS) - 1, bottom);
    const whole = start >= top && end < bottom;
    const numbers = whole ? blockSum(cells, start >> BLOCK_BITS) : numbersIn(cells, first, end);
    if (numbers === undefined) return undefined;
    for (const number of numbers) found.push(number);
    row = end + 1;
  }
  return found;
}

function blockSum(cells: Column, block: number): readonly number[] | undefined {
  const known = cells.blockSums.get(block);
  if (known !== undefined) return known;
  const numbers = numbersIn(cells, block << BLOCK_BITS, ((block + 1) << BLOCK_BITS) - 1);
  const sum = numbers === undefined ? undefined : added(numbers);
  if (sum !== undefined) cells.blockSums.set(block, sum);
  return sum;
}

function numbersIn(cells: Column, top: number, bottom: number): number[] | undefined {
  const numbers: number[] = [];
  for (let slot = cells.from(top); slot < cells.count && (cells.rows[slot] as number) <= bottom; slot++) {
    const kind = (cells.kinds[slot] as number) & KIND_BITS;
    if (kind === KIND.error) return undefined;
    if (kind === KIND.number) numbers.push(cells.numbers[slot] as number);
  }
  return numbers;
}

/** The sum and what its additions lost, so that nothing is lost in adding sums up either. */
function added(numbers: readonly number[]): readonly [number, number] | undefined {
  let [total, lost] = [0, 0];
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? [total, lost] : undefined;
}
