import { decimal } from '../decimals.ts';

/** A number without its sign, as digits before and after the point. */
export interface Digits {
  /** Empty of a number below 1. */
  readonly whole: string;
  readonly fraction: string;
}

/**
 * The first 15 digits of a number, moved by a power of ten and rounded half up.
 * @param places how many digits behind the point; negative rounds before it
 */
export function roundedDigits(value: number, places: number, shift = 0): Digits {
  const { digits, exponent } = decimal(value);
  // Where the point stands among the digits, and how many of them stay.
  const point = exponent + shift + 1;
  const kept = point + places;
  if (kept < 0) return { whole: '', fraction: '0'.repeat(Math.max(places, 0)) };
  const head = BigInt(digits.slice(0, kept) || '0');
  const rounded = head + (digits.charAt(kept) >= '5' ? 1n : 0n);
  const text = `${rounded}${'0'.repeat(Math.max(kept - digits.length, 0))}`;
  if (places <= 0) return { whole: rounded === 0n ? '' : text + '0'.repeat(-places), fraction: '' };
  const padded = text.padStart(places + 1, '0');
  return {
    whole: padded.slice(0, -places).replace(/^0+/, ''),
    fraction: padded.slice(-places),
  };
}

/** Digits with a comma before every third from the end. */
export function grouped(whole: string): string {
  const first = whole.length % 3 || 3;
  const groups = [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3));
  return groups.join(',');
}
