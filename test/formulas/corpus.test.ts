import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { FORM_NAMES } from '../../src/formulas/compile/calls.ts';
import { FUNCTION_NAMES } from '../../src/formulas/functions/registry.ts';
import { CellError, type Scalar } from '../../src/formulas/values.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { type CorpusWorkbook, corpusWorkbooks, type Expected, HAS_CORPUS, serialOf } from './corpus-files.ts';
import { cellOf, NOW_MS } from './worlds.ts';

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

const SUPPORTED: ReadonlySet<string> = new Set([...FUNCTION_NAMES, ...FORM_NAMES]);

const bySource = new Map<string, Tally>();
const byFunction = new Map<string, Tally>();
/** The same of what Excel itself stored: where others differ from it, they are no witnesses. */
const byFunctionOfExcel = new Map<string, Tally>();
const misses: string[] = [];

function count(tallies: Map<string, Tally>, key: string, right: boolean): void {
  const tally = tallies.get(key) ?? new Tally();
  tallies.set(key, tally);
  if (right) tally.right++;
  else tally.wrong++;
}

/** Excel's own Bessel functions are right to six decimals, and nothing is fetched: docs/formulas.md. */
const BELOW_BAR_OF_EXCEL: readonly string[] = ['BESSELJ', 'WEBSERVICE'];

/** Files know these as #VALUE!, with what they are in a list beside the cells. */
const NEWER_ERRORS: readonly string[] = ['#CALC!', '#SPILL!'];

function agrees(value: Scalar, expected: Expected): boolean {
  const { cached, type } = expected;
  if (type === 'e') return value instanceof CellError && isError(value.code, String(cached));
  if (value instanceof CellError) return value.code === cached;
  if (typeof value === 'number' && type === 's') return cached !== '' && value === Number(cached);
  if (typeof value === 'string') return value === cached || asWritten(value) === asRead(expected);
  if (type === 'date' || type === 'time') return close(value, serialOf(String(cached)));
  if (typeof cached === 'number') return close(value, cached);
  if (typeof cached === 'boolean') return value === cached || value === Number(cached);
  return (value ?? '') === cached;
}

function isError(code: string, cached: string): boolean {
  return code === cached || !cached.startsWith('#') || (cached === '#VALUE!' && NEWER_ERRORS.includes(code));
}

/** XML cannot hold control characters: LibreOffice leaves them out. */
function asWritten(value: string): string {
  return value.replace(/\p{Cc}/gu, '').toUpperCase();
}

/** LibreOffice was run in languages with a decimal comma, and puts a dot between sheet and cell. */
function asRead({ formula, cached }: Expected): string {
  const text = String(cached).toUpperCase();
  if (/\bIM[A-Z0-9]+\(/.test(formula)) return text.replaceAll(',', '.');
  if (/\bADDRESS\(/.test(formula)) return text.replace(/\.(?=\$?[A-Z]+\$?\d+$)/, '!');
  return text;
}

function close(value: Scalar, cached: number | undefined): boolean {
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number' || cached === undefined) return false;
  return Math.abs(number - cached) <= TOLERANCE * Math.max(1, Math.abs(cached));
}

function computed(corpus: CorpusWorkbook, nowMs: number, randomNumber: number): Workbook {
  mock.method(Math, 'random', () => randomNumber);
  const workbook = new Workbook(corpus.sheets, corpus.names);
  for (const [sheet, cells] of corpus.inputs.entries()) workbook.change({ sheet, cells });
  workbook.calculate(20_000, nowMs);
  return workbook;
}

function valueAt(workbook: Workbook, { sheet, address }: Expected): Scalar {
  const { row, column } = cellOf(address);
  return workbook.value(sheet, row, column);
}

function compare(corpus: CorpusWorkbook): void {
  const [now, later] = [computed(corpus, NOW_MS, 0.1), computed(corpus, LATER_MS, 0.9)];
  // "Volatile functions … left out", and what hangs on them.
  const steady = corpus.expected.filter(
    (one) => !/\bRAND\w*\(/.test(one.formula) && valueAt(now, one) === valueAt(later, one),
  );
  const wrong = steady.filter((one) => !agrees(valueAt(now, one), one));
  for (const one of steady) count(bySource, corpus.source, !wrong.includes(one));
  const causes = causesAmong(now, wrong);
  for (const one of steady) {
    const right = !wrong.includes(one);
    if (!right && !causes.has(one)) continue;
    countFunctions(byFunction, one, right);
    if (corpus.isByExcel) countFunctions(byFunctionOfExcel, one, right);
  }
  for (const [{ sheet, address, formula, cached }, value] of causes) {
    const shown = value instanceof CellError ? value.code : JSON.stringify(value);
    misses.push(`${corpus.file} ${sheet}!${address} ${formula} ${shown} not ${cached}`);
  }
}

/** Those of some wrong cells that stay wrong where all other cells are right, with what they come to. */
function causesAmong(workbook: Workbook, wrong: readonly Expected[]): Map<Expected, Scalar> {
  for (const one of wrong) put(workbook, one, one.standIn);
  const causes = new Map<Expected, Scalar>();
  for (const one of wrong) {
    put(workbook, one, one.input);
    workbook.calculate(20_000, NOW_MS);
    const value = valueAt(workbook, one);
    if (!agrees(value, one)) causes.set(one, value);
    put(workbook, one, one.standIn);
  }
  return causes;
}

function put(workbook: Workbook, { sheet, address }: Expected, input: Expected['input']): void {
  workbook.change({ sheet, cells: [{ ...cellOf(address), input }] });
}

/** "97 % right where the function is supported": a formula counts for every function that it calls. */
function countFunctions(tallies: Map<string, Tally>, { formula }: Expected, right: boolean): void {
  const named = formula.matchAll(/(?<![\w.])(?:COM\.MICROSOFT\.|_xlfn\.|_xlws\.)*([A-Z][A-Z0-9_.]*)\(/g);
  for (const name of new Set(Array.from(named, ([, name = '']) => name))) {
    if (SUPPORTED.has(name)) count(tallies, name, right);
  }
}

/** The functions that agree in less than 97 %, the most often wrong first. */
function belowBar(tallies: Map<string, Tally>): [string, Tally][] {
  return [...tallies].filter(([, { share }]) => share < 0.97).sort(([, a], [, b]) => b.wrong - a.wrong);
}

function told(tallies: Map<string, Tally>): string {
  const below = belowBar(tallies);
  const list = below.map(([name, { right, wrong }]) => `${name} ${right}/${right + wrong}`);
  return `${tallies.size} functions occur, ${below.length} of them agree in less than 97 %: ${list.join(', ')}`;
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
  afterEach(() => mock.restoreAll());

  it('come to the values that Excel and LibreOffice stored', async (t) => {
    for await (const corpus of corpusWorkbooks()) compare(corpus);
    const rest = [...bySource.keys()].filter((source) => source !== 'ironcalc' && source !== 'poi');
    for (const [source, { right, wrong, share }] of bySource) {
      t.diagnostic(`${source}: ${right} of ${right + wrong} (${(share * 100).toFixed(1)} %)`);
    }
    t.diagnostic(`in all files: ${told(byFunction)}`);
    t.diagnostic(`in those of Excel: ${told(byFunctionOfExcel)}`);
    if (process.env.ATRIUM_CORPUS_MISSES !== undefined) for (const miss of misses) t.diagnostic(miss);
    assert.ok(group('ironcalc').share > 0.998, `IronCalc's files: ${group('ironcalc').share}`);
    assert.ok(group('poi').share > 0.999, `POI's files: ${group('poi').share}`);
    assert.deepEqual(
      belowBar(byFunctionOfExcel)
        .map(([name]) => name)
        .sort(),
      BELOW_BAR_OF_EXCEL,
    );
    assert.ok(group(...rest).share > 0.93, `the others: ${group(...rest).share}`);
  });
});
