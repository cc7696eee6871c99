import { generalText } from '../../conversions.ts';
import type { Complex } from '../../numerics/complex.ts';
import { CellError, ERROR, type Scalar } from '../../values.ts';

/** A complex number as cells hold it, with the letter of its imaginary unit; '' of one that has no imaginary part. */
export interface Written {
  readonly value: Complex;
  readonly unit: '' | 'i' | 'j';
}

const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:E[+-]?\\d{1,3})?';
const REAL = new RegExp(`^${NUMBER}$`, 'i');
const WHOLE = new RegExp(`^(${NUMBER}(?![\\d.ij]))?([+-]?|${NUMBER})([ij])$`);

/** Reads "3+4i", "-j", "2.5"; #NUM! of what is no complex number. */
export function readComplex(given: Scalar): Written | CellError {
  if (given instanceof CellError) return given;
  if (typeof given === 'boolean') return ERROR['#VALUE!'];
  if (typeof given !== 'string') return { value: { re: given ?? 0, im: 0 }, unit: '' };
  if (given.length > 100) return ERROR['#NUM!'];
  if (REAL.test(given)) return { value: { re: Number(given), im: 0 }, unit: '' };
  const [matched, re = '0', im = '', unit] = WHOLE.exec(given) ?? [];
  // Between both parts there must be a sign: "34i" is 34i.
  if (matched === undefined || (re !== '0' && !/^[+-]/.test(im))) return ERROR['#NUM!'];
  const factor = /\d/.test(im) ? Number(im) : Number(`${im}1`);
  return { value: { re: Number(re), im: factor }, unit: unit as 'i' | 'j' };
}

/** Writes a complex number with 15 digits a part; #NUM! when a part is not finite. */
export function writeComplex({ re, im }: Complex, unit: 'i' | 'j'): string | CellError {
  if (!Number.isFinite(re) || !Number.isFinite(im)) return ERROR['#NUM!'];
  if (im === 0) return generalText(re);
  const factor = Math.abs(im) === 1 ? (im < 0 ? '-' : '') : generalText(im);
  if (re === 0) return `${factor}${unit}`;
  return `${generalText(re)}${im < 0 ? '' : '+'}${factor}${unit}`;
}
