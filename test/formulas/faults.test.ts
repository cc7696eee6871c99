import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it, mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FunctionFault } from '../../src/formulas/calculation.ts';
import { findFunction } from '../../src/formulas/functions/registry.ts';
import { FaultReports } from '../../src/formulas/threads/messages.ts';
import { shown, workbookOf } from './worlds.ts';

function breakFunction(name: string, thrown: () => unknown): void {
  const found = findFunction(name);
  assert.ok(found);
  mock.method(found, 'call', () => {
    throw thrown();
  });
}

describe('a function that fails by a fault of ours', () => {
  it('shows #VALUE!, and is counted with its place but without what stands in cells', () => {
    breakFunction('SIN', () => new TypeError('cannot read "secret"\nsecret'));
    breakFunction('COS', () => new RangeError('secret digits'));
    const inputs = { A1: 'secret', B1: '=SIN(1)', B2: '=SUM(1,SIN(2))', B3: '=COS(1)', B4: '=1+1' };
    const workbook = workbookOf(inputs);
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'B4']), ['#VALUE!', '#VALUE!', '#VALUE!', 2]);
    const faults = workbook.takeFaults();
    assert.deepEqual(
      faults.map((one) => [one.function, one.kind, one.times]),
      [
        ['SIN', 'TypeError', 2],
        ['COS', 'RangeError', 1],
      ],
    );
    assert.doesNotMatch(JSON.stringify(faults), /secret/);
    assert.match(faults[0]?.frames[0] ?? '', /faults\.test\.ts:\d+/);
    assert.deepEqual(workbook.takeFaults(), []);
    mock.restoreAll();
  });

  it('is none when a formula asks for too much or waits', () => {
    const workbook = workbookOf({
      A1: '=LET(f,LAMBDA(g,x,g(g,x)),f(f,1))',
      A2: '=SUM(MAKEARRAY(10000,10000,LAMBDA(r,c,r)))',
      A3: '=SUM(A4,INDEX(A4:A5,2))',
      A4: '=A5+1',
      A5: '=1/0',
    });
    shown(workbook, ['A1']);
    assert.deepEqual(workbook.takeFaults(), []);
  });

  it('is told of through the thread', async () => {
    const script = fileURLToPath(new URL('../fixtures/broken-function.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', script, script]);
    assert.deepEqual(JSON.parse(stdout), { value: '#VALUE!', faults: [['SIN', 'TypeError', 3]] });
  });
});

describe('the reports of faults', () => {
  it('tell of a function at its first time, its tenth and its hundredth', () => {
    const told: number[] = [];
    const reports = new FaultReports();
    reports.listener = ({ times }: FunctionFault) => told.push(times);
    for (let time = 1; time <= 120; time++)
      reports.add([{ function: 'SIN', kind: 'Error', frames: [], times: 1 }]);
    assert.deepEqual(told, [1, 10, 100]);
    reports.add([{ function: 'COS', kind: 'Error', frames: [], times: 5 }]);
    assert.deepEqual(told, [1, 10, 100, 5]);
  });
});
