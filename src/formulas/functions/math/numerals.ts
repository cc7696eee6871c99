import { CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';

const LETTERS = 'IVXLCDM';
const VALUES = [1, 5, 10, 50, 100, 500, 1000];

/** The letters and pairs that stand for a value, largest first; each higher form lets a pair reach one letter further. */
function symbols(form: number): (readonly [number, string])[] {
  const all: (readonly [number, string])[] = [];
  for (const [place, value] of VALUES.entries()) {
    const nearest = place - 2 + (place % 2);
    all.push([value, LETTERS.charAt(place)]);
    for (let less = nearest; less >= Math.max(0, nearest - form); less -= 1) {
      all.push([value - (VALUES[less] ?? 0), LETTERS.charAt(less) + LETTERS.charAt(place)]);
    }
  }
  return all.sort(([a, x], [b, y]) => b - a || x.length - y.length);
}

function roman(given: number, form: number): string | CellError {
  let rest = Math.trunc(given);
  if (rest < 0 || rest > 3999 || form < 0 || form > 4) return ERROR['#VALUE!'];
  let text = '';
  for (const [value, symbol] of symbols(Math.trunc(form))) {
    while (rest >= value) {
      text += symbol;
      rest -= value;
    }
  }
  return text;
}

function arabic(given: string): number | CellError {
  const [, minus, letters] = /^(-?)([IVXLCDM]*)$/i.exec(given.trim()) ?? [];
  if (letters === undefined || letters.length > 255) return ERROR['#VALUE!'];
  const values = [...letters.toUpperCase()].map((letter) => VALUES[LETTERS.indexOf(letter)] ?? 0);
  let sum = 0;
  for (const [i, value] of values.entries()) sum += value < (values[i + 1] ?? 0) ? -value : value;
  return minus ? -sum : sum;
}

/** TRUE asks for the classic form, FALSE for the shortest. */
function formOf(form: number | boolean): number {
  return typeof form === 'boolean' ? (form ? 0 : 4) : form;
}

export const NUMERALS = [
  define(
    'ROMAN',
    ['number', 'scalar'],
    ([number, form = 0]) => {
      if (form instanceof CellError) return form;
      return roman(number, formOf(typeof form === 'boolean' ? form : Number(form)));
    },
    { required: 1 },
  ),
  define('ARABIC', ['text'], ([text]) => arabic(text)),
];
