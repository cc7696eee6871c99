import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withIntersections } from '../../src/formats/workbooks/formulas/intersections.ts';
import { readWorkbook } from '../../src/formats/workbooks/read.ts';
import type { CellInput, DefinedName, HiddenRows, SheetHead } from '../../src/formulas/calculation.ts';
import { fromOpenFormula } from './open-formula.ts';
import { cellOf } from './worlds.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/corpus/sheets');

/**
 * What a workbook of cells alone cannot come to: files beside it, its macros (CROUND, SROUND, tround), its tables and
 * pivot tables, and functions that only LibreOffice has. The stored values stand in for such cells, so that what depends on them can be compared.
 */
const OUTSIDE =
  /\[\d+\]|'\[|file:|ORG\.|\w\[|(?:\b(?:B|CHISQDIST|CROUND|SROUND|tround|CHISQINV|COLOR|CURRENT|DDE|FORMULA|GETPIVOTDATA|MULTIPLE\.OPERATIONS|SKEWP|STYLE|CUBE\w+)\()/;

type Place = Pick<CellInput, 'row' | 'column'>;

interface StoredCell {
  readonly formula?: string | null;
  readonly cached?: unknown;
  readonly value?: unknown;
  readonly type?: string;
  readonly array?: string | readonly [number, number];
}

interface StoredWorkbook {
  readonly file: string;
  readonly date1904?: boolean;
  /** The program that stored it. */
  readonly application?: string;
  readonly formula_syntax?: string;
  readonly defined_names: Readonly<Record<string, string>>;
  readonly sheets: Readonly<Record<string, Readonly<Record<string, StoredCell>>>>;
}

/** A cell whose program stored a value beside its formula. */
export interface Expected {
  readonly sheet: number;
  readonly address: string;
  readonly formula: string;
  readonly type: string;
  readonly cached: unknown;
  /** What is put into the cell, and what stands in for it to see what its formula makes of other cells that are right. */
  readonly input: CellInput['input'];
  readonly standIn: CellInput['input'];
}

export interface CorpusWorkbook {
  readonly file: string;
  readonly source: string;
  /** Excel, or who took over what Excel had stored. */
  readonly isByExcel: boolean;
  readonly sheets: readonly SheetHead[];
  readonly names: readonly DefinedName[];
  readonly inputs: readonly (readonly CellInput[])[];
  readonly expected: readonly Expected[];
}

/** Whether the corpus is there. */
export const HAS_CORPUS = existsSync(FOLDER);

/** The workbooks of the corpus that count days from 1900: those of .xlsx as our reader reads them, others as they are listed. */
export async function* corpusWorkbooks(): AsyncGenerator<CorpusWorkbook> {
  for (const name of readdirSync(FOLDER).filter((one) => one.endsWith('.json'))) {
    const stored = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as StoredWorkbook;
    if (stored.sheets === undefined || stored.date1904 === true) continue;
    const listed = workbookFrom(name.replace(/\.json$/, ''), stored);
    yield listed.file.endsWith('.xlsx') ? await asRead(listed) : listed;
  }
}

function workbookFrom(file: string, stored: StoredWorkbook): CorpusWorkbook {
  const open = stored.formula_syntax !== undefined;
  const sheets = Object.entries(stored.sheets);
  return {
    file,
    source: file.slice(0, file.indexOf('__')),
    isByExcel: file.endsWith('.xlsx') && /^Microsoft/.test(stored.application ?? ''),
    sheets: sheets.map(([name]) => ({ name })),
    names: Object.entries(stored.defined_names).flatMap(([key, text]) => nameOf(key, text, open)),
    inputs: sheets.map(([, cells]) => inputsOf(cells, open)),
    expected: sheets.flatMap(([, cells], sheet) => expectedOf(cells, sheet, open)),
  };
}

/** The same workbook with the inputs that an import makes of its file; what hangs on other files stays as it is listed. */
async function asRead(listed: CorpusWorkbook): Promise<CorpusWorkbook> {
  const { sheets, portions } = await readWorkbook(readFileSync(join(FOLDER, listed.file)));
  const read = sheets.map(() => new Map<string, CellInput>());
  const hidden: (HiddenRows | undefined)[] = [];
  for await (const { sheet, cells, properties } of portions) {
    for (const { row, column, input } of cells) {
      if (input !== undefined) read[sheet]?.set(`${row} ${column}`, { row, column, input });
    }
    hidden[sheet] = properties?.hiddenRows;
  }
  const at = (sheet: number, { row, column }: Place) => read[sheet]?.get(`${row} ${column}`)?.input;
  for (const [sheet, cells] of listed.inputs.entries()) {
    for (const cell of cells) {
      const outside = OUTSIDE.test(String(at(sheet, cell)));
      if (outside) read[sheet]?.set(`${cell.row} ${cell.column}`, cell);
    }
  }
  const expected = listed.expected.map((one) => ({
    ...one,
    input: at(one.sheet, cellOf(one.address)) ?? '',
  }));
  const heads = sheets.map((name, sheet) => ({ name, hiddenRows: hidden[sheet] }));
  return { ...listed, sheets: heads, names: [], inputs: read.map((cells) => [...cells.values()]), expected };
}

/** `Name@1` holds on the second sheet alone. */
function nameOf(key: string, text: string, open: boolean): DefinedName[] {
  const [name = '', sheet] = key.split('@');
  if (typeof text !== 'string') return [];
  const formula = open ? fromOpenFormula(`of:=[${text}]`) : `=${text}`;
  return [sheet === undefined ? { name, formula } : { name, formula, sheet: Number(sheet) }];
}

function inputsOf(cells: Readonly<Record<string, StoredCell>>, open: boolean): CellInput[] {
  const covered = coveredByArrays(cells);
  return Object.entries(cells).flatMap(([address, cell]) => {
    if (covered.has(address)) return [];
    const input = inputOf(cell, open);
    return input === '' ? [] : [{ ...cellOf(address), input }];
  });
}

/** Cells into which an array formula of another cell writes. */
function coveredByArrays(cells: Readonly<Record<string, StoredCell>>): Set<string> {
  const covered = new Set<string>();
  for (const [address, { array, formula }] of Object.entries(cells)) {
    if (array === undefined || OUTSIDE.test(formula ?? '')) continue;
    const start = cellOf(address);
    const [rows, columns] = extentOf(array, start);
    for (const other of Object.keys(cells)) {
      const { row, column } = cellOf(other);
      const inside =
        row >= start.row &&
        row < start.row + rows &&
        column >= start.column &&
        column < start.column + columns;
      if (inside && other !== address) covered.add(other);
    }
  }
  return covered;
}

function extentOf(
  array: NonNullable<StoredCell['array']>,
  start: { row: number; column: number },
): [number, number] {
  if (typeof array !== 'string') return [array[1], array[0]];
  const end = cellOf(array.split(':')[1] ?? array);
  return [end.row - start.row + 1, end.column - start.column + 1];
}

/** LibreOffice keeps an error that was typed as a formula without "=". */
function isComputed(formula: string | null | undefined): formula is string {
  return typeof formula === 'string' && /^(?:\w+:)?=/.test(formula);
}

function inputOf({ formula, array, value, cached, type }: StoredCell, open: boolean): CellInput['input'] {
  if (!isComputed(formula)) return constant(value ?? cached, type);
  if (OUTSIDE.test(formula)) return constant(cached, type);
  const text = open ? fromOpenFormula(formula) : formula;
  if (array === undefined) return `=${withIntersections(text.slice(1))}`;
  return isSingle(array) ? `=INDEX(${text.slice(1)},1,1)` : text;
}

function isSingle(array: NonNullable<StoredCell['array']>): boolean {
  return typeof array === 'string' ? !array.includes(':') : array[0] * array[1] === 1;
}

function constant(value: unknown, type: string | undefined): CellInput['input'] {
  if (type === 'date' || type === 'time' || type === 'd') return serialOf(String(value)) ?? String(value);
  if (type === 'e') return `=${String(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return '';
  const text = String(unescaped(value));
  return text.startsWith('=') ? `="${text.replaceAll('"', '""')}"` : text;
}

/** "2011-02-01", "2011-02-01T10:00:00" or "PT16H30M59S" as a serial number. */
export function serialOf(text: string): number | undefined {
  const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M([\d.]+)S$/.exec(text) ?? [];
  if (hours !== undefined) return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) / 86_400;
  const ms = Date.parse(/T/.test(text) ? text.replace(/Z?$/, 'Z') : `${text}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / 86_400_000 + 25_569;
}

/** XML cannot hold control characters: `_x0002_` stands for one. */
function unescaped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/_x([0-9A-F]{4})_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function expectedOf(cells: Readonly<Record<string, StoredCell>>, sheet: number, open: boolean): Expected[] {
  return Object.entries(cells).flatMap(([address, cell]) => {
    const { formula, cached, type = '', array } = cell;
    if (!isComputed(formula) || OUTSIDE.test(formula)) return [];
    if (cached === null || cached === undefined) return [];
    const input = inputOf(cell, open);
    const standIn = array === undefined ? constant(cached, type) : input;
    return [{ sheet, address, formula, type, cached: unescaped(cached), input, standIn }];
  });
}
