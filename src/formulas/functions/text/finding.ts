import { type CellError, ERROR } from '../../values.ts';
import { findWildcard, hasWildcards } from '../../wildcards.ts';
import { define } from '../define.ts';
import { limited } from './limit.ts';

export const FIND = define(
  'FIND',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => findText(wanted, text, start),
  { required: 2 },
);

export const SEARCH = define(
  'SEARCH',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => searchText(wanted, text, start),
  { required: 2 },
);

/** The place, counted from 1, of one text in another, with regard to case. */
export function findText(wanted: string, text: string, start: number): number | CellError {
  return find(text, start, (from) => text.indexOf(wanted, from));
}

/** As `findText` without regard to case, and with wildcards. */
export function searchText(wanted: string, text: string, start: number): number | CellError {
  return find(text, start, (from) =>
    hasWildcards(wanted)
      ? findWildcard(wanted, text, from)
      : text.toLowerCase().indexOf(wanted.toLowerCase(), from),
  );
}

function find(text: string, start: number, indexFrom: (from: number) => number): number | CellError {
  if (start < 1 || start > text.length + 1) return ERROR['#VALUE!'];
  const index = indexFrom(Math.trunc(start) - 1);
  return index < 0 ? ERROR['#VALUE!'] : index + 1;
}

export const SUBSTITUTE = define(
  'SUBSTITUTE',
  ['text', 'text', 'text', 'number'],
  ([text, old, replacement, instance]) => {
    if (instance !== undefined && instance < 1) return ERROR['#VALUE!'];
    if (old === '') return text;
    if (instance === undefined) return limited(text.split(old).join(replacement));
    const index = indexOfInstance(text, old, Math.trunc(instance));
    return index < 0 ? text : limited(text.slice(0, index) + replacement + text.slice(index + old.length));
  },
  { required: 3 },
);

function indexOfInstance(text: string, wanted: string, instance: number): number {
  let index = text.indexOf(wanted);
  for (let count = 1; count < instance && index >= 0; count++) {
    index = text.indexOf(wanted, index + wanted.length);
  }
  return index;
}

export const EXACT = define('EXACT', ['text', 'text'], ([one, other]) => one === other);
