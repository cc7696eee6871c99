import { isObject, objectsIn } from '../../../contract/json.ts';
import type { Problem } from '../../../contract/operation.ts';
import { type A1Range, InvalidRange, parseColumns, parseRange } from '../cells/a1.ts';
import { cellProblems, checkFits, countCells, type Rows } from '../cells/blocks-of-values.ts';
import { type AppendedValues, MAX_CELLS, type ValuesBatch } from '../schema.ts';
import { sheetNameProblem } from '../workbook/workbook.ts';

type ProblemLocation = { pointer: string } | { parameter: string };

/** The syntax error of a range, if it has one. */
export function rangeProblems(text: string, location: ProblemLocation): Problem[] {
  const range = readRange(text);
  return range instanceof InvalidRange ? [rangeProblem(range, location)] : [];
}

/** One range of a write; `values` is undefined if they violate their schema. */
interface RangeOfWrite {
  range: string;
  values: Rows | undefined;
  location: ProblemLocation;
  /** Where the values are in the body. */
  pointer?: string;
}

/**
 * The problems of a batch. If the batch violates its schema, the problems of those ranges that can still be read.
 * Throws as `writeProblems`.
 */
export function batchProblems({ data }: Partial<ValuesBatch>, sent: unknown): Problem[] {
  const pointerOf = (index: number) => ({ pointer: `/data/${index}/range` });
  const entries = data
    ? data.map(({ range, values }, index) => ({
        range,
        values,
        location: pointerOf(index),
        pointer: `/data/${index}/values`,
      }))
    : objectsIn(isObject(sent) ? sent.data : undefined).flatMap(([{ range }, index]) =>
        typeof range === 'string' ? [{ range, values: undefined, location: pointerOf(index) }] : [],
      );
  return writeProblems(entries, '/data');
}

/** The problems of a write. Throws ApiError values_exceed_range if there are none but the values do not fit into a range. */
export function writeProblems(entries: readonly RangeOfWrite[], valuesPointer: string): Problem[] {
  const problems = cellCountProblems(
    entries.map(({ values }) => values ?? []),
    valuesPointer,
  );
  const ranges = entries.map(({ range, location }) => {
    const parsed = readRange(range);
    if (parsed instanceof InvalidRange) problems.push(rangeProblem(parsed, location));
    return parsed;
  });
  for (const { values, pointer = valuesPointer } of entries)
    if (values) problems.push(...cellProblems(values, pointer));
  if (problems.length > 0) return problems;
  for (const [index, { range, values }] of entries.entries()) {
    const parsed = ranges[index];
    if (values && parsed && !(parsed instanceof InvalidRange)) checkFits(parsed, values, range);
  }
  return problems;
}

/** The problems of rows to be appended, as far as the body fits its schema. */
export function appendProblems({
  values = [],
  columns,
  row_key: rowKey,
}: Partial<AppendedValues>): Problem[] {
  const problems = [...cellCountProblems([values], '/values'), ...cellProblems(values, '/values')];
  if (columns !== undefined) problems.push(...columnsProblems(columns));
  return rowKey === undefined ? problems : [...problems, ...rowKeyProblems(values)];
}

function columnsProblems(columns: string): Problem[] {
  try {
    parseColumns(columns);
    return [];
  } catch (error) {
    if (error instanceof InvalidRange) return [rangeProblem(error, { pointer: '/columns' })];
    throw error;
  }
}

/** A key belongs to one row that holds something: nothing else could be found again by it. */
export function rowKeyProblems(values: Rows): Problem[] {
  const [row = [], ...others] = values;
  if (others.length === 0 && row.some(holdsSomething)) return [];
  const message =
    'Send one row with something in it: a row_key is kept with its row. Several rows take several requests.';
  return [{ pointer: '/values', code: 'not_one_row', message }];
}

function holdsSomething(cell: unknown): boolean {
  return cell !== '' && !(isObject(cell) && cell.text === '');
}

/** "At most 100,000 cells … a write." */
export function cellCountProblems(all: readonly Rows[], pointer: string): Problem[] {
  const count = all.reduce((sum, values) => sum + countCells(values), 0);
  if (count <= MAX_CELLS) return [];
  const message = `These are ${count} cells; send at most ${MAX_CELLS} at once.`;
  return [{ pointer, code: 'too_many', message }];
}

/** The field that holds the new name of a sheet, by the type of operation. */
const NAMES = { add_sheet: 'sheet', rename_sheet: 'name' } as const;

/** The sheet names that are not allowed, in all operations of a body that can be read. */
export function nameProblems(sent: unknown): Problem[] {
  return objectsIn(isObject(sent) ? sent.operations : undefined).flatMap(([operation, index]) =>
    Object.entries(NAMES).flatMap(([type, member]) => {
      const name = operation[member];
      const message = operation.type === type && typeof name === 'string' && sheetNameProblem(name);
      return message ? [{ pointer: `/operations/${index}/${member}`, code: 'wrong_format', message }] : [];
    }),
  );
}

function readRange(text: string): A1Range | InvalidRange {
  try {
    return parseRange(text);
  } catch (error) {
    if (error instanceof InvalidRange) return error;
    throw error;
  }
}

function rangeProblem({ message }: InvalidRange, location: ProblemLocation): Problem {
  return { ...location, code: 'invalid_range', message };
}
