import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { CalculationStopped, type SheetCells, WorkbookNotHeld } from '../../src/formulas/calculation.ts';
import { CALCULATION_LIMITS, ThreadedCalculation } from '../../src/formulas/threads/calculations.ts';
import { eventually } from '../eventually.ts';
import { cellsOf, type Inputs } from './worlds.ts';

const WINDOW = { sheet: 0, top: 0, left: 0, bottom: 9, right: 9 };

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
    await calculation.open('one', 1, ['Sheet1'], portions({ A1: 2 }, { B1: '=A1*2', C3: '=1/0' }));
    assert.equal(calculation.version('one'), 1);
    assert.deepEqual(await calculation.read('one', WINDOW), [[2, 4], [], ['', '', '#DIV/0!']]);
    await calculation.change('one', 2, [{ sheet: 0, cells: cellsOf({ A1: 5, C3: null }) }]);
    assert.equal(calculation.version('one'), 2);
    assert.deepEqual(await calculation.read('one', WINDOW), [[5, 10]]);
  });

  it('have no less time for what it takes to start a thread', async () => {
    const calculation = started({ answerMs: 50 });
    const opens = () =>
      calculation.open('quick', 1, ['Sheet1'], portions({ A1: 1 })).then(
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
      ['Sheet1'],
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

  it('that were not used for long leave room for others', async () => {
    const calculation = started({ bytes: 2_500 });
    for (const name of ['one', 'two', 'three'])
      await calculation.open(name, 1, ['Sheet1'], portions({ A1: '=1' }));
    assert.equal(calculation.version('three'), 1);
    assert.equal(calculation.version('one'), undefined);
    await assert.rejects(calculation.read('one', WINDOW), CalculationStopped);
  });

  it('that had to make room while they changed say so, and others live on', async () => {
    const calculation = started({ bytes: 2_500, threads: 1 });
    await calculation.open('one', 1, ['Sheet1'], portions({ A1: '=1' }));
    const cells = Array.from({ length: 20_000 }, (_, row) => ({ row, column: 0, input: row }));
    const changed = assert.rejects(calculation.change('one', 2, [{ sheet: 0, cells }]), WorkbookNotHeld);
    for (const name of ['two', 'three'])
      await calculation.open(name, 1, ['Sheet1'], portions({ A1: '=1', B1: '=2' }));
    await changed;
    assert.equal(calculation.version('one'), undefined);
    assert.deepEqual(await calculation.read('three', WINDOW), [[1, 2]]);
  });

  it('end with their thread when it does not answer, and can be opened again', async () => {
    const calculation = started({ answerMs: 6_000, threads: 1 });
    const endless = `=SUM(MAP(SEQUENCE(1000),LAMBDA(x,SUM(SEQUENCE(20000)))))`;
    const inputs = Object.fromEntries(Array.from({ length: 200 }, (_, row) => [`A${row + 1}`, endless]));
    await calculation.open('slow', 1, ['Sheet1'], portions(inputs));
    await calculation.open('other', 1, ['Sheet1'], portions({ A1: 1 }));
    const slow = calculation.read('slow', WINDOW);
    const waiting = assert.rejects(calculation.read('other', WINDOW), WorkbookNotHeld);
    await assert.rejects(
      slow,
      (error) => error instanceof CalculationStopped && !(error instanceof WorkbookNotHeld),
    );
    await waiting;
    assert.deepEqual(
      ['slow', 'other'].map((name) => calculation.version(name)),
      [undefined, undefined],
    );
    await calculation.open('other', 1, ['Sheet1'], portions({ A1: 7 }));
    assert.deepEqual(await calculation.read('other', WINDOW), [[7]]);
  });

  it('whose cells cannot be had are not held', async () => {
    const calculation = started();
    const broken = (async function* (): AsyncGenerator<SheetCells> {
      yield { sheet: 0, cells: cellsOf({ A1: 1 }) };
      throw new Error('the database is gone');
    })();
    await assert.rejects(calculation.open('half', 1, ['Sheet1'], broken), /the database is gone/);
    assert.equal(calculation.version('half'), undefined);
  });
});
