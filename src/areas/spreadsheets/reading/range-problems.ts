import type { Problem } from '../../../contract/operation.ts';
import { isObject, objectsIn } from '../../../contract/unknown-json.ts';
import { type A1Range, InvalidRange, parseRange } from '../cells/a1.ts';
import { checkFits, countCells, type Values } from '../cells/blocks-of-values.ts';
import { MAX_CELLS, type ValuesBatch } from '../schema.ts';
import { sheetNameProblem } from '../workbook/workbook.ts';

type Place = { pointer: string } | { parameter: string };

/** What is wrong with a range, and nothing else. */
export function rangeProblems(text: string, place: Place): Problem[] {
  const range = readRange(text);
  return range instanceof InvalidRange ? [rangeProblem(range, place)] : [];
}

/** One range of a write; `values` is undefined where they do not fit their schema. */
interface RangeOfWrite {
  range: string;
  values: Values | undefined;
  place: Place;
}

/**
 * What is wrong with a batch: of one that does not fit its schema, with the ranges of it that can be read. Throws as
 * `writeProblems`.
 */
export function batchProblems({ data }: Partial<ValuesBatch>, sent: unknown): Problem[] {
  const pointerOf = (index: number) => ({ pointer: `/data/${index}/range` });
  const entries = data
    ? data.map((entry, index) => ({ ...entry, place: pointerOf(index) }))
    : objectsIn(isObject(sent) ? sent.data : undefined).flatMap(([{ range }, index]) =>
        typeof range === 'string' ? [{ range, values: undefined, place: pointerOf(index) }] : [],
      );
  return writeProblems(entries, '/data');
}

/** What is wrong with a write. Throws ApiError values_exceed_range where only the size of the values does not fit. */
export function writeProblems(entries: readonly RangeOfWrite[], valuesPointer: string): Problem[] {
  const problems = tooManyCells(
    entries.map(({ values }) => values ?? []),
    valuesPointer,
  );
  const ranges = entries.map(({ range, place }) => {
    const parsed = readRange(range);
    if (parsed instanceof InvalidRange) problems.push(rangeProblem(parsed, place));
    return parsed;
  });
  if (problems.length > 0) return problems;
  for (const [index, { range, values }] of entries.entries()) {
    const parsed = ranges[index];
    if (values && parsed && !(parsed instanceof InvalidRange)) checkFits(parsed, values, range);
  }
  return problems;
}

/** "At most 100,000 cells … a write." */
export function tooManyCells(all: readonly Values[], pointer: string): Problem[] {
  const count = all.reduce((sum, values) => sum + countCells(values), 0);
  if (count <= MAX_CELLS) return [];
  const message = `These are ${count} cells; send at most ${MAX_CELLS} at once.`;
  return [{ pointer, code: 'too_many', message }];
}

/** The member that holds the new name of a sheet, by the type of operation. */
const NAMES = { add_sheet: 'sheet', rename_sheet: 'name' } as const;

/** What no spreadsheet takes as the name of a sheet, of all operations in a body that can be read. */
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

function rangeProblem({ message }: InvalidRange, place: Place): Problem {
  return { ...place, code: 'invalid_range', message };
}
