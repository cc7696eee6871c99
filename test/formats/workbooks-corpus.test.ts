import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formulaFromFile } from '../../src/formats/workbooks/formulas/formula-reader.ts';
import { tokensOf } from '../../src/formats/workbooks/formulas/tokens.ts';
import { openWorkbook } from '../../src/formats/workbooks/open-workbook.ts';
import { textOfInput } from '../../src/formulas/text-formula.ts';
import { eventually } from '../eventually.ts';
import { type Cells, cellsOf, cellsOfContent, noWorkbooks, realFile, realFiles } from './workbook-files.ts';

/** What is known of a cell of a real workbook, from another reader. */
interface KnownCell {
  formula?: string | null;
  value?: string | number | boolean;
  cached?: string | number | boolean;
  type: string;
  /** The cells that its formula fills. */
  array?: string;
}
interface KnownWorkbook {
  date1904: boolean;
  defined_names: object;
  sheets: Record<string, Record<string, KnownCell>>;
}

/** Those that cannot be read, and why. */
const REFUSED: Record<string, RegExp> = {
  'broken__calamine__tests__issue252.xlsx': /archive is damaged/,
  'broken__exceljs__data__missing-bits.xlsx': /no \.xlsx workbook/,
  'broken__poi__spreadsheet__54764.xlsx': /document type/,
  'broken__poi__spreadsheet__54764-2.xlsx': /document type/,
};

/** Where what is known is not what stands in the file: another reader's way with line breaks, or with dates as text. */
const KNOWN_OTHERWISE = new Set([
  'poi__spreadsheet__NewlineInFormulas.xlsx',
  'sheetjs__root__xlsx-stream-d-date-cell.xlsx',
]);

const plain = (formula: string) => formula.replaceAll(/[@\s]/g, '');

/** Whether a formula has names or references to tables, which are resolved. */
function isResolved(formula: string): boolean {
  return tokensOf(formula).some(({ type }) => type === 'range_named' || type === 'structured');
}

function difference(found: Cells[string] | undefined, { formula, value, cached, type }: KnownCell): boolean {
  if (typeof formula === 'string') {
    if (isResolved(formula)) return found === undefined;
    return typeof found !== 'string' || plain(found) !== plain(`=${formulaFromFile(formula.slice(1))}`);
  }
  const wanted = value ?? cached ?? '';
  if (wanted === '') return found !== undefined;
  if (type === 'e') return found !== `=${wanted}`;
  if (type === 'date' || type === 'time') return typeof found !== 'number';
  return (typeof found === 'string' ? textOfInput(found) : found) !== wanted;
}

function differences(cells: Cells, known: KnownWorkbook): string[] {
  const different: string[] = [];
  const seen = new Set<string>();
  for (const [sheet, knownCells] of Object.entries(known.sheets)) {
    for (const [address, cell] of Object.entries(knownCells)) {
      seen.add(`${sheet}!${address}`);
      const found = cells[`${sheet}!${address}`];
      const isFilled = found === undefined && typeof cell.formula !== 'string' && hasArrays(knownCells);
      if (!isFilled && difference(found, cell))
        different.push(`${sheet}!${address}: ${found} for ${JSON.stringify(cell)}`);
    }
  }
  return [...different, ...Object.keys(cells).filter((place) => !seen.has(place))];
}

/** Cells that formulas fill are no cells of their own. */
function hasArrays(cells: Record<string, KnownCell>): boolean {
  return Object.values(cells).some(({ array }) => array?.includes(':'));
}

describe('real workbooks', { skip: noWorkbooks }, () => {
  it('are read as another reader reads them, cell by cell, or refused with a reason', async () => {
    let compared = 0;
    for (const name of realFiles('.xlsx')) {
      const reason = REFUSED[name];
      if (reason) {
        await assert.rejects(cellsOf(realFile(name)), { name: 'UnreadableWorkbook', message: reason }, name);
        continue;
      }
      const cells = await cellsOf(realFile(name));
      if (name.startsWith('broken__') || KNOWN_OTHERWISE.has(name)) continue;
      const known: KnownWorkbook = JSON.parse(realFile(`${name}.json`).toString());
      if (known.date1904) continue;
      assert.deepEqual(differences(cells, known).slice(0, 5), [], name);
      compared += Object.keys(cells).length;
    }
    assert.ok(compared > 80_000, `${compared} cells`);
  });
});

/** Numbers that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function mutated(bytes: Buffer, random: () => number): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(bytes);
  const at = () => Math.floor(random() * copy.length);
  for (let changes = 1 + Math.floor(random() * 20); changes > 0; changes--) {
    const [from, to] = [at(), at()];
    if (random() < 0.7) copy[from] = Math.floor(random() * 256);
    else copy.copyWithin(to, from, from + Math.floor(random() * 64));
  }
  return random() < 0.2 ? copy.slice(0, at()) : copy;
}

describe('mutated workbooks', { skip: noWorkbooks }, () => {
  const seed = Number(process.env.SEED ?? 20_261_121);
  const rounds = Number(process.env.ROUNDS ?? 400);

  it(`are read or refused, seed ${seed}`, async () => {
    const random = seeded(seed);
    const files = [...realFiles('.xlsx'), ...realFiles('.csv')].filter(
      (name) => realFile(name).length < 30_000,
    );
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const name = files[Math.floor(random() * files.length)] ?? '';
      const bytes = mutated(realFile(name), random);
      try {
        await cellsOf(bytes);
        outcomes.read++;
      } catch (error) {
        assert.equal((error as Error).name, 'UnreadableWorkbook', `${name}: ${(error as Error).stack}`);
        outcomes.refused++;
      }
    }
    assert.ok(Math.min(outcomes.read, outcomes.refused) > rounds / 20, JSON.stringify(outcomes));
  });

  it('are read or refused in their thread too, which leaves nothing running', async () => {
    const random = seeded(seed + 1);
    const files = realFiles('.xlsx').filter((name) => realFile(name).length < 20_000);
    for (let i = 0; i < 5; i++) {
      const bytes = mutated(realFile(files[Math.floor(random() * files.length)] ?? ''), random);
      const outcome = openWorkbook(async () => bytes).then(cellsOfContent);
      await outcome.catch((error) => assert.equal(error.name, 'UnreadableWorkbook'));
    }
    await eventually(() => !process.getActiveResourcesInfo().includes('MessagePort'), 'no thread runs');
  });
});
