import { textOf } from '../../conversions.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid } from '../../values.ts';

/** A place where a text has a delimiter. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

/** The delimiters of an argument: one or several in a grid; none when it was left out. */
export function delimitersOf(grid: Grid | undefined): string[] | CellError {
  const delimiters: string[] = [];
  let wrong: CellError | undefined;
  grid?.each((value) => {
    const text = textOf(value);
    if (text instanceof CellError) wrong ??= text;
    else if (text === '') wrong ??= ERROR['#VALUE!'];
    else delimiters.push(text);
  });
  return wrong ?? delimiters;
}

/** A delimiter may stand at every place of a long text: so many are looked for between two looks at the clock. */
const DELIMITERS_A_LOOK = 16;

/** Every place where a text has one of the delimiters, none over another; the longer one of two at the same place. */
export function cutsOf(
  text: string,
  delimiters: readonly string[],
  ignoreCase: boolean,
  spend: Spend,
): readonly Cut[] {
  const looked = ignoreCase ? text.toLowerCase() : text;
  const longest = new Uint16Array(looked.length);
  const look = lookingUp(spend, DELIMITERS_A_LOOK);
  for (const delimiter of delimiters) {
    look();
    notePlaces(looked, ignoreCase ? delimiter.toLowerCase() : delimiter, longest);
  }
  const cuts: Cut[] = [];
  for (const [start, length] of longest.entries()) {
    if (length > 0 && start >= (cuts.at(-1)?.end ?? 0)) cuts.push({ start, end: start + length });
  }
  return cuts;
}

/** Notes the length of a delimiter wherever a text has it and no longer one. */
function notePlaces(text: string, delimiter: string, longest: Uint16Array): void {
  for (let start = text.indexOf(delimiter); start >= 0; start = text.indexOf(delimiter, start + 1)) {
    longest[start] = Math.max(longest[start] ?? 0, delimiter.length);
  }
}
