import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CellError, type Scalar } from '../../src/formulas/values.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { type CorpusWorkbook, corpusWorkbooks, type Expected, HAS_CORPUS, serialOf } from './corpus-files.ts';
import { NOW_MS, placeOf } from './worlds.ts';

/** How close numbers must come, as a share: programs iterate and approximate in ways of their own; Excel's Bessel functions have 8 digits. */
const TOLERANCE = 1e-7;
const LATER_MS = NOW_MS + 401.3 * 86_400_000;

class Tally {
  right = 0;
  wrong = 0;

  get share(): number {
    return this.right / Math.max(1, this.right + this.wrong);
  }
}

const bySource = new Map<string, Tally>();
const byFunction = new Map<string, Tally>();
const misses: string[] = [];

function count(tallies: Map<string, Tally>, key: string, right: boolean): void {
  const tally = tallies.get(key) ?? new Tally();
  tallies.set(key, tally);
  if (right) tally.right++;
  else tally.wrong++;
}

function agrees(value: Scalar, { cached, type }: Expected): boolean {
  if (type === 'e')
    return value instanceof CellError && (value.code === cached || !/^#/.test(String(cached)));
  if (type === 'date' || type === 'time') return close(value, serialOf(String(cached)));
  if (typeof cached === 'number') return close(value, cached);
  if (typeof cached === 'boolean') return value === cached || value === Number(cached);
  return (value ?? '') === cached;
}

function close(value: Scalar, cached: number | undefined): boolean {
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number' || cached === undefined) return false;
  return Math.abs(number - cached) <= TOLERANCE * Math.max(1, Math.abs(cached));
}

function computed(corpus: CorpusWorkbook, nowMs: number): Workbook {
  const workbook = new Workbook(corpus.sheets, corpus.names);
  for (const [sheet, cells] of corpus.inputs.entries()) workbook.change({ sheet, cells });
  workbook.calculate(20_000, nowMs);
  return workbook;
}

function valueAt(workbook: Workbook, { sheet, address }: Expected): Scalar {
  const { row, column } = placeOf(address);
  return workbook.value(sheet, row, column);
}

function compare(corpus: CorpusWorkbook): void {
  const [now, later] = [computed(corpus, NOW_MS), computed(corpus, LATER_MS)];
  for (const one of corpus.expected) {
    const value = valueAt(now, one);
    if (value !== valueAt(later, one)) continue;
    const right = agrees(value, one);
    count(bySource, corpus.source, right);
    for (const [, name = ''] of one.formula.matchAll(/([A-Z][A-Z0-9_.]*)\(/g)) count(byFunction, name, right);
    const shown = value instanceof CellError ? value.code : JSON.stringify(value);
    if (!right)
      misses.push(`${corpus.file} ${one.sheet}!${one.address} ${one.formula} ${shown} not ${one.cached}`);
  }
}

function group(...sources: string[]): Tally {
  const sum = new Tally();
  for (const [source, { right, wrong }] of bySource) {
    if (!sources.includes(source) && sources.length > 0) continue;
    sum.right += right;
    sum.wrong += wrong;
  }
  return sum;
}

describe('real workbooks', { skip: HAS_CORPUS ? false : 'the corpus is not there' }, () => {
  it('come to the values that Excel and LibreOffice stored', (t) => {
    for (const corpus of corpusWorkbooks()) compare(corpus);
    const rest = [...bySource.keys()].filter((source) => source !== 'ironcalc' && source !== 'poi');
    for (const [source, { right, wrong, share }] of bySource) {
      t.diagnostic(`${source}: ${right} of ${right + wrong} (${(share * 100).toFixed(1)} %)`);
    }
    const worst = [...byFunction]
      .filter(([, { wrong }]) => wrong > 0)
      .sort(([, a], [, b]) => b.wrong - a.wrong);
    t.diagnostic(
      worst
        .slice(0, 60)
        .map(([name, { right, wrong }]) => `${name} ${right}/${right + wrong}`)
        .join(', '),
    );
    if (process.env.ATRIUM_CORPUS_MISSES !== undefined) for (const miss of misses) t.diagnostic(miss);
    assert.ok(group('ironcalc').share > 0.98, `IronCalc's files: ${group('ironcalc').share}`);
    assert.ok(group('poi').share > 0.98, `POI's files: ${group('poi').share}`);
    assert.ok(group(...rest).share > 0.89, `the others: ${group(...rest).share}`);
  });
});
