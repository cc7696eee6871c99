import { textOf } from '../../conversions.ts';
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

/** Every place where a text has one of the delimiters, none over another; the longer one of two at the same place. */
export function cutsOf(text: string, delimiters: readonly string[], ignoreCase: boolean): Cut[] {
  const [looked, wanted] = ignoreCase
    ? [text.toLowerCase(), delimiters.map((delimiter) => delimiter.toLowerCase())]
    : [text, delimiters];
  const found = wanted
    .flatMap((delimiter) => placesOf(looked, delimiter))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const cuts: Cut[] = [];
  for (const cut of found) if (cut.start >= (cuts.at(-1)?.end ?? 0)) cuts.push(cut);
  return cuts;
}

function placesOf(text: string, delimiter: string): Cut[] {
  const places: Cut[] = [];
  for (let start = text.indexOf(delimiter); start >= 0; start = text.indexOf(delimiter, start + 1)) {
    places.push({ start, end: start + delimiter.length });
  }
  return places;
}
