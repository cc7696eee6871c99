import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  CalculationStopped,
  type MostShown,
  type SheetCells,
  TooMuchShown,
  WorkbookNotHeld,
} from '../../src/formulas/calculation.ts';
import { CALCULATION_LIMITS, ThreadedCalculation } from '../../src/formulas/threads/calculations.ts';
import { eventually } from '../eventually.ts';
import { cellsOf, type Inputs } from './worlds.ts';

const WINDOW = { sheet: 0, top: 0, left: 0, bottom: 9, right: 9 };

const SLOW = Object.fromEntries(
  Array.from({ length: 200 }, (_, row) => [
    `A${row + 1}`,
    '=SUM(MAP(SEQUENCE(1000),LAMBDA(x,SUM(SEQUENCE(20000)))))',
  ]),
);

async function* portions(...inputs: readonly Inputs[]): AsyncGenerator<SheetCells> {
  for (const one of inputs) yield { sheet: 0, cells: cellsOf(one) };
}

function started(limits: Partial<typeof CALCULATION_LIMITS> = {}): ThreadedCalculation {
  const calculation = new ThreadedCalculation({ ...CALCULATION_LIMITS, ...limits });
  after(() => calculation.close());
  return calculation;
}

describe('workbooks in threads', () => {
  it('are opened in portions, changed and read', async () => {
    const calculation = started();
    await calculation.open('one', 1, [{ name: 'Sheet1' }], portions({ A1: 2 }, { B1: '=A1*2', C3: '=1/0' }));
    assert.equal(calculation.version('one'), 1);
    assert.deepEqual(await calculation.read('one', WINDOW), [[2, 4], [], ['', '', '#DIV/0!']]);
    await calculation.change('one', 2, [{ sheet: 0, cells: cellsOf({ A1: 5, C3: null }) }]);
    assert.equal(calculation.version('one'), 2);
    assert.deepEqual(await calculation.read('one', WINDOW), [[5, 10]]);
  });

  it('have no less time for what it takes to start a thread', async () => {
    const calculation = started({ replyTimeoutMs: 50 });
    const opens = () =>
      calculation.open('quick', 1, [{ name: 'Sheet1' }], portions({ A1: 1 })).then(
        () => true,
        () => false,
      );
    // A machine that stands still for so long ends a thread that was asked; another is started.
    await eventually(opens, 'a thread answers');
  });

  it('are read whole, however large', async () => {
    const calculation = started();
    const cells = Array.from({ length: 30_000 }, (_, row) => ({ row, column: 0, input: row }));
    await calculation.open(
      'large',
      1,
      [{ name: 'Sheet1' }],
      (async function* () {
        yield { sheet: 0, cells };
      })(),
    );
    const rows = await calculation.read('large', { ...WINDOW, bottom: 99_999 });
    assert.deepEqual(
      rows,
      cells.map(({ row }) => [row]),
    );
  });

  it('are read in portions of a megabyte at most, and no more of them than is asked for', async () => {
    const calculation = started();
    const [sheets, wide] = [[{ name: 'Sheet1' }], { ...WINDOW, bottom: 999, right: 999 }];
    await calculation.open('long', 1, sheets, portions({ A1: '=IF(SEQUENCE(20,100),REPT("x",32767))' }));
    const places: [row: number, column: number][] = [];
    for await (const runs of calculation.portions('long', wide)) {
      const texts = runs.flatMap(({ values }) => values.map(String));
      assert.ok(texts.join('').length <= 500_000);
      for (const { row, column, values } of runs)
        for (const at of values.keys()) places.push([row, column + at]);
    }
    assert.deepEqual(
      places,
      Array.from({ length: 2_000 }, (_, i) => [Math.floor(i / 100), i % 100]),
    );
    for await (const runs of calculation.portions('long', wide)) {
      assert.equal(runs[0]?.row, 0);
      break;
    }
    assert.deepEqual(await calculation.read('long', { ...WINDOW, bottom: 0, right: 0 }), [
      ['x'.repeat(32_767)],
    ]);
  });

  it('are refused before anything is made of them where they hold more than may be read', async () => {
    const calculation = started();
    await calculation.open('long', 1, [{ name: 'Sheet1' }], portions({ A1: '=REPT("x",1000)', A3: 'abc' }));
    const read = async (most: MostShown) => {
      for await (const _ of calculation.portions('long', WINDOW, most)) return 'read';
      return 'nothing';
    };
    assert.equal(await read({ cells: 3, characters: 1_003 }), 'read');
    await assert.rejects(read({ cells: 2, characters: 1_003 }), TooMuchShown);
    await assert.rejects(read({ cells: 3, characters: 1_002 }), TooMuchShown);
  });

  it('that were not used for long leave room for others', async () => {
    const calculation = started({ bytes: 2_500 });
    for (const name of ['one', 'two', 'three'])
      await calculation.open(name, 1, [{ name: 'Sheet1' }], portions({ A1: '=1' }));
    assert.equal(calculation.version('three'), 1);
    assert.equal(calculation.version('one'), undefined);
    await assert.rejects(calculation.read('one', WINDOW), CalculationStopped);
  });

  it('that had to make room while they changed say so, and others live on', async () => {
    const calculation = started({ bytes: 2_500, threads: 1 });
    await calculation.open('one', 1, [{ name: 'Sheet1' }], portions({ A1: '=1' }));
    const cells = Array.from({ length: 20_000 }, (_, row) => ({ row, column: 0, input: row }));
    const changed = assert.rejects(calculation.change('one', 2, [{ sheet: 0, cells }]), WorkbookNotHeld);
    for (const name of ['two', 'three'])
      await calculation.open(name, 1, [{ name: 'Sheet1' }], portions({ A1: '=1', B1: '=2' }));
    await changed;
    assert.equal(calculation.version('one'), undefined);
    assert.deepEqual(await calculation.read('three', WINDOW), [[1, 2]]);
  });

  it('end with their thread when it does not answer, and can be opened again', async () => {
    const calculation = started({ replyTimeoutMs: 3_000, threads: 1 });
    await calculation.open('slow', 1, [{ name: 'Sheet1' }], portions(SLOW));
    await calculation.open('other', 1, [{ name: 'Sheet1' }], portions({ A1: 1 }));
    await assert.rejects(
      calculation.read('slow', WINDOW),
      (error) => error instanceof CalculationStopped && !(error instanceof WorkbookNotHeld),
    );
    assert.deepEqual(
      ['slow', 'other'].map((name) => calculation.version(name)),
      [undefined, undefined],
    );
    assert.ok(calculation.takesLong('slow'));
    await calculation.open('other', 1, [{ name: 'Sheet1' }], portions({ A1: 7 }));
    assert.deepEqual(await calculation.read('other', WINDOW), [[7]]);
  });

  it('give way to others, and go where nobody waits for them when a formula is longer than a turn', async () => {
    const calculation = started({ calculationMs: 3_000, threads: 1 });
    await calculation.open('slow', 1, [{ name: 'Sheet1' }], portions(SLOW));
    await calculation.open('other', 1, [{ name: 'Sheet1' }], portions({ A1: '=2+2' }));
    const slow = assert.rejects(calculation.read('slow', WINDOW), WorkbookNotHeld);
    assert.deepEqual(await calculation.read('other', WINDOW), [[4]]);
    await slow;
    await calculation.open('slow', 1, [{ name: 'Sheet1' }], portions(SLOW));
    const stopped = assert.rejects(
      calculation.read('slow', WINDOW),
      (error) => error instanceof CalculationStopped && !(error instanceof WorkbookNotHeld),
    );
    assert.deepEqual(await calculation.read('other', WINDOW), [[4]]);
    assert.equal(calculation.version('other'), 1);
    await stopped;
  });

  it('that gave way many times come to what they would have come to alone', async () => {
    const calculation = started({ threads: 1 });
    const circles = { E1: '=F1', F1: '=E1', G1: '=MATCH(1500,B:B,0)', H1: '=NOW()', H2: '=NOW()' };
    const sums = Array.from({ length: 1_500 }, (_, row) => [
      [`A${row + 1}`, `=SUM(SEQUENCE(${1_000 + row},10))`],
      [`B${row + 1}`, `=IF(ISNUMBER(A${row + 1}),ROW())`],
    ]).flat();
    const inputs = { ...circles, ...Object.fromEntries(sums) };
    const whole = { ...WINDOW, bottom: 1_499 };
    const alone = started();
    for (const one of [alone, calculation]) await one.open('long', 1, [{ name: 'Sheet1' }], portions(inputs));
    const expected = await alone.read('long', whole);
    await calculation.open('other', 1, [{ name: 'Sheet1' }], portions({ A1: '=RAND()' }));
    let isOver = false;
    const reading = calculation.read('long', whole).finally(() => {
      isOver = true;
    });
    let others = 0;
    for (; !isOver; others++) await calculation.read('other', WINDOW);
    assert.ok(others > 1, 'nobody else was answered meanwhile');
    const values = await reading;
    assert.equal(values[0]?.[7], values[1]?.[7], 'the moment of a calculation is one');
    const timeless = (rows: typeof values) => rows.map((row) => row.filter((_, column) => column !== 7));
    assert.deepEqual(timeless(values), timeless(expected));
  });

  it('whose cells cannot be had are not held', async () => {
    const calculation = started();
    const broken = (async function* (): AsyncGenerator<SheetCells> {
      yield { sheet: 0, cells: cellsOf({ A1: 1 }) };
      throw new Error('the database is gone');
    })();
    await assert.rejects(calculation.open('half', 1, [{ name: 'Sheet1' }], broken), /the database is gone/);
    assert.equal(calculation.version('half'), undefined);
  });
});
