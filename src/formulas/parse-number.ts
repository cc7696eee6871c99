import { parseDateTime } from './parse-date.ts';

const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const DECORATED = /^([+-]?)(\$?)([+-]?)(\d+(?:,\d{3})*\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const FRACTION = /^([+-]?)(\d+) +(\d+)\/(\d+)$/;

/**
 * The number that a text means where a number is wanted: plain, with a currency, thousands or a percent sign, in
 * parentheses when negative, a fraction, a date or a time (as a serial number), as they may be typed into a cell.
 * @param now the moment of the calculation: a date without a year is of its year
 * @returns undefined when the text is none of them
 */
export function parseNumber(text: string, now: number): number | undefined {
  const written = text.trim();
  const number = PLAIN.test(written) ? Number(written) : (decorated(written) ?? fraction(written));
  if (number === undefined) return parseDateTime(written, now);
  return Number.isFinite(number) ? number : undefined;
}

function decorated(text: string): number | undefined {
  const inside = /^\((.*)\)$/.exec(text)?.[1];
  const body = (inside ?? text).trim();
  const percent = /^%|%$/.test(body);
  const match = DECORATED.exec(percent ? body.replace(/^% ?| ?%$/, '') : body);
  if (!match) return undefined;
  const [, before = '', , after = '', digits = '', exponent = ''] = match;
  const sign = before + after;
  // Parentheses are a minus already: "(-5)" is no number, nor is "+-5".
  if (sign.length > (inside === undefined ? 1 : 0)) return undefined;
  const size = Number(digits.replaceAll(',', '') + exponent) / (percent ? 100 : 1);
  return sign === '-' || inside !== undefined ? -size : size;
}

function fraction(text: string): number | undefined {
  const match = FRACTION.exec(text);
  if (!match || Number(match[4]) === 0) return undefined;
  const size = Number(match[2]) + Number(match[3]) / Number(match[4]);
  return match[1] === '-' ? -size : size;
}
