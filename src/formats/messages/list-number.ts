/** Numbers of lists beyond are nobody's; the digits of one stand before every line of its item. */
const LARGEST = 999_999;

const LARGEST_ROMAN = 3_999;

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/**
 * How the items of an ordered list are numbered, by the `start` and `type` of its element: answers the number of the
 * item at an index. What letters and Roman numerals cannot say is said in digits, as browsers do.
 */
export function listNumber(start = '', type = ''): (index: number) => string {
  const first = firstNumber(start);
  return (index) => write(Math.min(first + index, LARGEST), type);
}

function firstNumber(start: string): number {
  const number = Number.parseInt(start, 10);
  return Number.isNaN(number) ? 1 : Math.max(-LARGEST, Math.min(number, LARGEST));
}

function write(number: number, type: string): string {
  if (number >= 1 && (type === 'a' || type === 'A')) return inCaseOf(type, letters(number));
  if (number >= 1 && number <= LARGEST_ROMAN && (type === 'i' || type === 'I'))
    return inCaseOf(type, roman(number));
  return String(number);
}

function inCaseOf(type: string, text: string): string {
  return type === type.toUpperCase() ? text.toUpperCase() : text;
}

function letters(number: number): string {
  let text = '';
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) {
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  }
  return text;
}

function roman(number: number): string {
  let text = '';
  let left = number;
  for (const [value, numeral] of ROMAN) {
    text += numeral.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}
