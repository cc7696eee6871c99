/**
 * What workbooks cost: one changed cell of many, chains, running sums, lookups, a whole recalculation, memory, and how long the
 * event loop waits while a thread computes a million cells. Milliseconds are best read against each other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CellInput, SheetCells } from '../src/formulas/calculation.ts';
import { ThreadedCalculation } from '../src/formulas/threads/calculations.ts';
import { Workbook } from '../src/formulas/workbook/workbook.ts';
import type { Figure } from './report.ts';

const FOREVER = 600_000;
const CHAIN = 50_000;
const LOOKUPS = 10_000;
const MILLION = 1_000_000;
const PORTION = 10_000;

type Input = (row: number, column: number) => CellInput['input'];

function* portions(rows: number, columns: number, input: Input): Generator<SheetCells> {
  let cells: CellInput[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) cells.push({ row, column, input: input(row, column) });
    if (cells.length < PORTION) continue;
    yield { sheet: 0, cells };
    cells = [];
  }
  yield { sheet: 0, cells };
}

function filled(rows: number, columns: number, input: Input): Workbook {
  const workbook = new Workbook([{ name: 'Sheet1' }]);
  for (const portion of portions(rows, columns, input)) workbook.change(portion);
  return workbook;
}

function took(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function recalculated(workbook: Workbook, row: number, column: number, input: number): number {
  return took(() => {
    workbook.change({ sheet: 0, cells: [{ row, column, input }] });
    workbook.calculate(FOREVER);
  });
}

/** Half numbers, half formulas upon them that all hang on one cell too. */
function half(row: number, column: number): CellInput['input'] {
  return column === 0 ? row : `=A${row + 1}*$A$1+1`;
}

function oneCell(): Figure {
  const workbook = filled(50_000, 2, half);
  workbook.calculate(FOREVER);
  const times = Array.from({ length: 100 }, (_, at) => recalculated(workbook, 1_000 + at, 0, at)).sort(
    (a, b) => a - b,
  );
  const whole = recalculated(workbook, 0, 0, 3);
  return {
    name: 'one cell of 100,000 changed, beside all',
    value: times[50] ?? 0,
    unit: 'ms',
    ceiling: whole,
  };
}

function chains(): Figure[] {
  const backward = filled(CHAIN, 1, (row) => (row === CHAIN - 1 ? 1 : `=A${row + 2}+1`));
  const sums = filled(CHAIN, 2, (row, column) => (column === 0 ? 1 : `=SUM(A$1:A${row + 1})`));
  return [
    { name: 'a backward chain of 50,000', value: took(() => backward.calculate(FOREVER)), unit: 'ms' },
    { name: '50,000 running sums', value: took(() => sums.calculate(FOREVER)), unit: 'ms' },
    { name: 'one of 50,000 running sums changed', value: recalculated(sums, CHAIN - 1, 0, 5), unit: 'ms' },
  ];
}

/** Keys beside the numbers that belong to them, and as many lookups among them in another order. */
function lookups(): Figure[] {
  const workbook = filled(LOOKUPS, 3, (row, column) => {
    if (column === 2) return `=VLOOKUP(MOD(ROW()*7,${LOOKUPS})+1&"",A$1:B$${LOOKUPS},2,FALSE)`;
    return column === 0 ? `${((row * 3) % LOOKUPS) + 1}` : row;
  });
  return [
    { name: '10,000 lookups in 10,000 rows', value: took(() => workbook.calculate(FOREVER)), unit: 'ms' },
  ];
}

function million(): Figure[] {
  const before = memory();
  let workbook: Workbook | undefined;
  const load = took(() => {
    workbook = filled(MILLION / 2, 2, half);
  });
  const calculate = took(() => workbook?.calculate(FOREVER));
  const bytes = (memory() - before) / MILLION;
  return [
    { name: '1,000,000 cells taken in', value: load, unit: 'ms' },
    { name: '1,000,000 cells computed', value: calculate, unit: 'ms' },
    {
      name: 'memory, beside what the workbook says',
      value: bytes,
      unit: 'B/cell',
      ceiling: (workbook?.bytes ?? 0) / MILLION,
    },
  ];
}

function memory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** How late a timer of one millisecond comes: the worst of a hundred. */
async function lateness(until: () => boolean): Promise<number> {
  const late: number[] = [];
  while (!until() || late.length < 100) {
    const start = performance.now();
    await sleep(1);
    late.push(performance.now() - start - 1);
  }
  late.sort((a, b) => a - b);
  return late[Math.floor(late.length * 0.99)] ?? 0;
}

async function eventLoop(): Promise<Figure> {
  const calculation = new ThreadedCalculation();
  const window = { sheet: 0, top: 0, left: 0, bottom: 9, right: 9 };
  await calculation.open(
    'million',
    1,
    [{ name: 'Sheet1' }],
    (async function* () {
      yield* portions(MILLION / 2, 2, half);
    })(),
  );
  await calculation.read('million', window);
  let end = Date.now() + 1_000;
  const idle = await lateness(() => Date.now() > end);
  let done = false;
  await calculation.change('million', 2, [{ sheet: 0, cells: [{ row: 0, column: 0, input: 7 }] }]);
  const read = calculation.read('million', window).then(() => {
    done = true;
  });
  end = 0;
  const busy = await lateness(() => done);
  await read;
  await calculation.close();
  return {
    name: 'event loop late at the 99th percentile, beside idle',
    value: busy,
    unit: 'ms',
    ceiling: idle,
  };
}

export async function bench(): Promise<Figure[]> {
  return [oneCell(), ...chains(), ...lookups(), ...million(), await eventLoop()];
}
