import { MAX_TEXT, numberOf, textOf } from '../../conversions.ts';
import { eachCell } from '../../grids.ts';
import { formatValue } from '../../number-format/format.ts';
import { roundedDigits, withThousands } from '../../number-format/number-section.ts';
import { MAX_CODE } from '../../number-format/tokens.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { limitText } from './parts.ts';

/** Excel's limit of decimals. */
const MAX_DECIMALS = 127;

export const TEXT = define('TEXT', ['scalar', 'text'], ([value, code]) => {
  if (value instanceof CellError) return value;
  if (code.length > MAX_CODE) return ERROR['#VALUE!'];
  const joinShown = formatValue(numberOrText(value), code);
  return joinShown === undefined ? ERROR['#VALUE!'] : limitText(joinShown);
});

/** A text that contains a number is formatted as that number. */
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

/** A number rounded to decimals; a negative number of decimals rounds before the point. */
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
  const digits =
    (inGroups ? withThousands(whole || '0') : whole || '0') + (fraction === '' ? '' : `.${fraction}`);
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

export const VALUETOTEXT = define(
  'VALUETOTEXT',
  ['scalar', 'number'],
  ([value, format = 0]) => {
    if (format === 0) return conciseText(value);
    return format === 1 ? strictText(value) : ERROR['#VALUE!'];
  },
  { required: 1, takesErrors: true },
);

export const ARRAYTOTEXT = define(
  'ARRAYTOTEXT',
  ['grid', 'number'],
  ([grid, format = 0], context) => {
    if (format !== 0 && format !== 1) return ERROR['#VALUE!'];
    context.spend(grid.rows * grid.columns);
    const values =
      format === 1
        ? joinShown(grid, strictText, ',', ';', context)
        : joinShown(grid, conciseText, ', ', ', ', context);
    return limitText(format === 1 ? `{${values}}` : values);
  },
  { required: 1, takesErrors: true },
);

/** The values of a grid row by row, with separators between values and between rows; stops at the length limit. */
function joinShown(
  grid: Grid,
  show: (value: Scalar) => string,
  between: string,
  betweenRows: string,
  { spend }: CallContext,
): string {
  let text = '';
  const add = (value: Scalar, row: number, column: number): void => {
    if (text.length > MAX_TEXT) return;
    if (row + column > 0) text += column === 0 ? betweenRows : between;
    text += show(value);
  };
  eachCell(grid, add, spend);
  return text;
}

function conciseText(value: Scalar): string {
  const text = textOf(value);
  return text instanceof CellError ? text.code : text;
}

/** As written in a formula. */
function strictText(value: Scalar): string {
  return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : conciseText(value);
}

export const PHONETIC = define('PHONETIC', ['grid'], ([grid]) => {
  // Cells have no furigana here; without it Excel returns the text.
  const value = grid.at(0, 0);
  return value instanceof CellError || typeof value === 'string' ? value : '';
});

const DIGITS = ['ศูนย์', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า'];
const PLACES = ['', 'สิบ', 'ร้อย', 'พัน', 'หมื่น', 'แสน'];
const MILLION = 'ล้าน';
const [BAHT, SATANG, EXACTLY, MINUS] = ['บาท', 'สตางค์', 'ถ้วน', 'ลบ'];

export const BAHTTEXT = define('BAHTTEXT', ['number'], ([amount]) => {
  const total = Math.round(Math.abs(amount) * 100);
  if (!Number.isSafeInteger(total)) return ERROR['#VALUE!'];
  const [baht, satang] = [Math.floor(total / 100), total % 100];
  const whole = baht === 0 && satang > 0 ? '' : words(baht) + BAHT;
  return (amount < 0 && total > 0 ? MINUS : '') + whole + (satang === 0 ? EXACTLY : words(satang) + SATANG);
});

function words(number: number): string {
  if (number === 0) return DIGITS[0] ?? '';
  const millions = Math.floor(number / 1e6);
  return (millions > 0 ? words(millions) + MILLION : '') + belowMillion(number % 1e6, millions > 0);
}

function belowMillion(number: number, follows: boolean): string {
  const digits = String(number).split('').map(Number);
  return digits
    .map((digit, index) => digitWords(digit, digits.length - 1 - index, follows || digits.length > 1))
    .join('');
}

/** In Thai, ten omits its one; twenty and a final one have words of their own. */
function digitWords(digit: number, place: number, isLonger: boolean): string {
  if (digit === 0) return '';
  if (place === 1 && digit === 1) return PLACES[1] ?? '';
  if (place === 1 && digit === 2) return `ยี่${PLACES[1]}`;
  if (place === 0 && digit === 1 && isLonger) return 'เอ็ด';
  return `${DIGITS[digit]}${PLACES[place]}`;
}
