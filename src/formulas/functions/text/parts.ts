import { MAX_TEXT } from '../../conversions.ts';
import { findWildcard, hasWildcards } from '../../criteria.ts';
import { type CellError, ERROR } from '../../values.ts';
import { define } from '../function.ts';

/** A generated text; #VALUE! when it is longer than a cell allows. */
export function limitText(text: string): string | CellError {
  return text.length > MAX_TEXT ? ERROR['#VALUE!'] : text;
}

const WINDOWS_1252 = Array.from({ length: 256 }, (_, code) =>
  new TextDecoder('windows-1252').decode(Uint8Array.of(code)),
);
const CODES = new Map(WINDOWS_1252.map((character, code) => [character, code]));
const QUESTION_MARK = 63;

export const CHAR = define('CHAR', ['number'], ([code]) =>
  code < 1 ? ERROR['#VALUE!'] : (WINDOWS_1252[Math.trunc(code)] ?? ERROR['#VALUE!']),
);

export const CODE = define('CODE', ['text'], ([text]) =>
  text === '' ? ERROR['#VALUE!'] : (CODES.get(text.charAt(0)) ?? QUESTION_MARK),
);

export const UNICHAR = define('UNICHAR', ['number'], ([given]): string | CellError => {
  const code = Math.trunc(given);
  if (code < 1 || code > 0x10ffff) return ERROR['#VALUE!'];
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code % 0x10000 >= 0xfffe ? ERROR['#N/A'] : String.fromCodePoint(code);
});

export const UNICODE = define('UNICODE', ['text'], ([text]) => text.codePointAt(0) ?? ERROR['#VALUE!']);

export const UPPER = define('UPPER', ['text'], ([text]) =>
  changeCase(text, (letter) => letter.toUpperCase()),
);

export const LOWER = define('LOWER', ['text'], ([text]) =>
  changeCase(text, (letter) => letter.toLowerCase()),
);

export const PROPER = define('PROPER', ['text'], ([text]) => {
  let inWord = false;
  return changeCase(text, (character) => {
    const cased = inWord ? character.toLowerCase() : character.toUpperCase();
    inWord = /\p{L}/u.test(character);
    return cased;
  });
});

/** Changes letters one by one; a letter that would become several, such as ß, stays unchanged. */
function changeCase(text: string, change: (character: string) => string): string {
  return Array.from(text, (character) => {
    const cased = change(character);
    return cased.length === character.length ? cased : character;
  }).join('');
}

export const TRIM = define('TRIM', ['text'], ([text]) => text.split(' ').filter(Boolean).join(' '));

/** Removes ASCII control characters. */
export const CLEAN = define('CLEAN', ['text'], ([text]) =>
  Array.from(text)
    .filter((character) => character >= ' ')
    .join(''),
);

export const T = define('T', ['scalar'], ([value]) => (typeof value === 'string' ? value : ''));

export const LEN = define('LEN', ['text'], ([text]) => text.length);

export const LEFT = define(
  'LEFT',
  ['text', 'number'],
  ([text, count = 1]) => (count < 0 ? ERROR['#VALUE!'] : text.slice(0, Math.trunc(count))),
  { required: 1 },
);

export const RIGHT = define(
  'RIGHT',
  ['text', 'number'],
  ([text, count = 1]) => {
    if (count < 0) return ERROR['#VALUE!'];
    return text.slice(Math.max(text.length - Math.trunc(count), 0));
  },
  { required: 1 },
);

export const MID = define('MID', ['text', 'number', 'number'], ([text, start, count]) => {
  if (start < 1 || count < 0) return ERROR['#VALUE!'];
  const first = Math.trunc(start) - 1;
  return text.slice(first, first + Math.trunc(count));
});

export const REPLACE = define(
  'REPLACE',
  ['text', 'number', 'number', 'text'],
  ([text, start, count, replacement]) => {
    if (start < 1 || count < 0) return ERROR['#VALUE!'];
    const first = Math.trunc(start) - 1;
    return limitText(text.slice(0, first) + replacement + text.slice(first + Math.trunc(count)));
  },
);

export const REPT = define('REPT', ['text', 'number'], ([text, count]) => {
  const times = Math.trunc(count);
  if (times < 0 || times * text.length > MAX_TEXT) return ERROR['#VALUE!'];
  return text === '' ? '' : text.repeat(times);
});

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

/** The position, from 1, of a text in another, case-sensitive. */
export function findText(wanted: string, text: string, start: number): number | CellError {
  return find(text, start, (from) => text.indexOf(wanted, from));
}

/** Like `findText`, case-insensitive and with wildcards. */
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
    if (instance === undefined) return limitText(text.split(old).join(replacement));
    const index = indexOfInstance(text, old, Math.trunc(instance));
    return index < 0 ? text : limitText(text.slice(0, index) + replacement + text.slice(index + old.length));
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
