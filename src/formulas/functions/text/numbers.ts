import { numberOf } from '../../conversions.ts';
import { grouped, roundedDigits } from '../../number-format/digits.ts';
import { formatValue } from '../../number-format/format.ts';
import { CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { limited } from './limit.ts';

/** Excel shows no more decimals. */
const MAX_DECIMALS = 127;

/** The longest format code that Excel takes; what follows an open bracket is looked through for its end each time. */
const MAX_CODE = 255;

export const TEXT = define('TEXT', ['scalar', 'text'], ([value, code]) => {
  if (value instanceof CellError) return value;
  if (code.length > MAX_CODE) return ERROR['#VALUE!'];
  const shown = formatValue(numberOrText(value), code);
  return shown === undefined ? ERROR['#VALUE!'] : limited(shown);
});

/** A text that spells a number is formatted as that number. */
function numberOrText(value: number | string | boolean | null): number | string | boolean {
  if (typeof value !== 'string') return value ?? 0;
  const number = value.trim() === '' ? ERROR['#VALUE!'] : numberOf(value);
  return number instanceof CellError ? value : number;
}

export const VALUE = define('VALUE', ['scalar'], ([value]) =>
  typeof value === 'boolean' ? ERROR['#VALUE!'] : numberOf(value),
);

export const FIXED = define(
  'FIXED',
  ['number', 'number', 'logical'],
  ([value, decimals = 2, withoutCommas = false]) =>
    withDecimals(value, decimals, !withoutCommas, (digits, sign) => sign + digits),
  { required: 1 },
);

export const DOLLAR = define(
  'DOLLAR',
  ['number', 'number'],
  ([value, decimals = 2]) =>
    withDecimals(value, decimals, true, (digits, sign) => (sign ? `($${digits})` : `$${digits}`)),
  { required: 1 },
);

export const YEN = define(
  'YEN',
  ['number', 'number'],
  ([value, decimals = 0]) => withDecimals(value, decimals, true, (digits, sign) => `${sign}¥${digits}`),
  { required: 1 },
);

/** A number rounded to decimals, before the point too when there are fewer than none. */
function withDecimals(
  value: number,
  decimals: number,
  inGroups: boolean,
  make: (digits: string, sign: '' | '-') => string,
): string | CellError {
  const places = Math.trunc(decimals);
  if (places > MAX_DECIMALS) return ERROR['#VALUE!'];
  const { whole, fraction } = roundedDigits(value, Math.max(places, -400));
  const isZero = /^0*$/.test(whole + fraction);
  const digits = (inGroups ? grouped(whole || '0') : whole || '0') + (fraction === '' ? '' : `.${fraction}`);
  return make(digits, value < 0 && !isZero ? '-' : '');
}

function withoutPercents(text: string): string {
  let end = text.length;
  while (text[end - 1] === '%') end--;
  return text.slice(0, end);
}

export const NUMBERVALUE = define(
  'NUMBERVALUE',
  ['text', 'text', 'text'],
  ([text, decimal = '.', group = ',']) => {
    if (decimal === '' || group === '') return ERROR['#VALUE!'];
    const [point, comma] = [decimal.charAt(0), group.charAt(0)];
    const written = text.replace(/\s/g, '');
    if (written === '') return 0;
    const body = withoutPercents(written);
    const [whole = '', ...fractions] = body.split(point);
    if (fractions.length > 1 || fractions[0]?.includes(comma)) return ERROR['#VALUE!'];
    const plain = [whole.replaceAll(comma, ''), ...fractions].join('.');
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain)) return ERROR['#VALUE!'];
    const number = Number(plain) / 100 ** (written.length - body.length);
    return Number.isFinite(number) ? number : ERROR['#VALUE!'];
  },
  { required: 1, leftOutBy: 'gap' },
);
