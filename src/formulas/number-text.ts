import { dateOfText } from './date-text.ts';

const MAX_LENGTH = 255;
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DECORATED = /^([+-]?)([$€]?)([+-]?)(\d+(?:(?:,\d{3})+\d*)?(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const EURO_BEHIND = /^[^$€%]*€$/;
const FRACTION = /^([+-]?)(\d+) +(\d+)\/(\d+)$/;

/**
 * The number that a text means where a number is wanted: plain, with a currency, thousands or a percent sign, in
 * parentheses when negative, a fraction, a date or a time (as a serial number), as they may be typed into a cell.
 * @param thisYear the year of a date that names none; of the clock when absent
 * @returns undefined when the text is none of them
 */
export function numberOfText(text: string, thisYear?: number): number | undefined {
  const written = text.trim();
  if (written.length > MAX_LENGTH || !/\d/.test(written)) return undefined;
  const number = PLAIN.test(written) ? Number(written) : (decorated(written) ?? fraction(written));
  if (number === undefined) return dateOfText(text, thisYear);
  return Number.isFinite(number) ? number : undefined;
}

function decorated(text: string): number | undefined {
  const inside = /^\((.*)\)$/.exec(text)?.[1];
  const body = (inside ?? text).trim();
  const percent = /^%|%$/.test(body);
  const amount = EURO_BEHIND.test(body) ? body.slice(0, -1).trimEnd() : body;
  const match = DECORATED.exec(percent ? amount.replace(/^% ?| ?%$/, '') : amount);
  if (!match) return undefined;
  const [, before = '', , after = '', digits = '', exponent = ''] = match;
  const sign = before + after;
  // Parentheses are a minus already: "(-5)" is no number, nor is "+-5".
  if (sign.length > (inside === undefined ? 1 : 0)) return undefined;
  const value = Number(digits.replaceAll(',', '') + exponent) / (percent ? 100 : 1);
  return sign === '-' || inside !== undefined ? -value : value;
}

function fraction(text: string): number | undefined {
  const match = FRACTION.exec(text);
  if (!match || Number(match[4]) === 0) return undefined;
  const size = Number(match[2]) + Number(match[3]) / Number(match[4]);
  return match[1] === '-' ? -size : size;
}
