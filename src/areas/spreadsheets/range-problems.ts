import type { Problem } from '../../api/operation.ts';
import { type A1Range, InvalidRange, parseRange } from './a1.ts';
import { checkFits, countCells, type Values } from './blocks-of-values.ts';
import { MAX_CELLS, type StructureOperation } from './schema.ts';
import { sheetNameProblem } from './sheet-names.ts';

type Place = { pointer: string } | { parameter: string };

/** What is wrong with a range, and nothing else. */
export function rangeProblems(text: string, place: Place): Problem[] {
  const range = readRange(text);
  return range instanceof InvalidRange ? [rangeProblem(range, place)] : [];
}

/** What is wrong with a write. Throws ApiError values_exceed_range where only the size of the values does not fit. */
export function writeProblems(
  entries: readonly { range: string; values: Values | undefined; place: Place }[],
  valuesPointer: string,
): Problem[] {
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

/** What no spreadsheet takes as the name of a sheet. */
export function nameProblems(operations: readonly StructureOperation[]): Problem[] {
  return operations.flatMap((operation, index) => {
    if (operation.type !== 'add_sheet' && operation.type !== 'rename_sheet') return [];
    const [member, name] =
      operation.type === 'add_sheet' ? ['sheet', operation.sheet] : ['name', operation.name];
    const message = sheetNameProblem(name);
    const pointer = `/operations/${index}/${member}`;
    return message === undefined ? [] : [{ pointer, code: 'wrong_format', message }];
  });
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
