import { type CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import { findText, searchText } from './finding.ts';

/*
 * Texts counted in bytes of a double-byte character set: two for a character that such a set has as a wide one. Half a
 * character that is cut is a space.
 */

const NARROW_END = 0xff;
const HALF_WIDTH_KANA = /[｡-ﾟ]/;

function widthOf(character: string): 1 | 2 {
  return character.charCodeAt(0) <= NARROW_END || HALF_WIDTH_KANA.test(character) ? 1 : 2;
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += widthOf(text.charAt(at));
  return bytes;
}

/** The characters that lie in a range of bytes. */
function sliceBytes(text: string, start: number, end: number): string {
  let slice = '';
  let at = 0;
  for (let index = 0; index < text.length && at < end; index++) {
    const character = text.charAt(index);
    const next = at + widthOf(character);
    if (at >= start && next <= end) slice += character;
    else if (next > start) slice += ' ';
    at = next;
  }
  return slice;
}

export const LENB = define('LENB', ['text'], ([text]) => bytesIn(text));

export const LEFTB = define(
  'LEFTB',
  ['text', 'number'],
  ([text, count = 1]) => (count < 0 ? ERROR['#VALUE!'] : sliceBytes(text, 0, Math.trunc(count))),
  { required: 1 },
);

export const RIGHTB = define(
  'RIGHTB',
  ['text', 'number'],
  ([text, count = 1]) => {
    const length = bytesIn(text);
    return count < 0 ? ERROR['#VALUE!'] : sliceBytes(text, Math.max(length - Math.trunc(count), 0), length);
  },
  { required: 1 },
);

export const MIDB = define('MIDB', ['text', 'number', 'number'], ([text, start, count]) => {
  if (start < 1 || count < 0) return ERROR['#VALUE!'];
  const first = Math.trunc(start) - 1;
  return sliceBytes(text, first, first + Math.trunc(count));
});

export const REPLACEB = define(
  'REPLACEB',
  ['text', 'number', 'number', 'text'],
  ([text, start, count, replacement]) => {
    if (start < 1 || count < 0) return ERROR['#VALUE!'];
    const first = Math.trunc(start) - 1;
    const rest = sliceBytes(text, first + Math.trunc(count), bytesIn(text));
    return sliceBytes(text, 0, first) + replacement + rest;
  },
);

export const FINDB = define(
  'FINDB',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => inBytes(text, start, (from) => findText(wanted, text, from)),
  { required: 2 },
);

export const SEARCHB = define(
  'SEARCHB',
  ['text', 'text', 'number'],
  ([wanted, text, start = 1]) => inBytes(text, start, (from) => searchText(wanted, text, from)),
  { required: 2 },
);

/** Asks for a place in characters where start and answer are places in bytes. */
function inBytes(text: string, start: number, find: (from: number) => number | CellError): Scalar {
  if (start < 1 || start > bytesIn(text) + 1) return ERROR['#VALUE!'];
  const found = find(sliceBytes(text, 0, Math.trunc(start) - 1).length + 1);
  return typeof found === 'number' ? bytesIn(text.slice(0, found - 1)) + 1 : found;
}
