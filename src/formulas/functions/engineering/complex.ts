import { generalText } from '../../conversions.ts';
import type { Complex } from '../../numerics/complex.ts';
import * as complex from '../../numerics/complex.ts';
import { lookingUp, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';
import { gridsOf, isCells } from '../numbers.ts';

/** A complex number as cells hold it, with the letter of its imaginary unit; '' of one that has no imaginary part. */
interface Written {
  readonly value: Complex;
  readonly unit: '' | 'i' | 'j';
}

const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:E[+-]?\\d{1,3})?';
const REAL = new RegExp(`^${NUMBER}$`, 'i');
const WHOLE = new RegExp(`^(${NUMBER}(?![\\d.ij]))?([+-]?|${NUMBER})([ij])$`);

/** Reads "3+4i", "-j", "2.5"; #NUM! of what is no complex number. */
function readComplex(given: Scalar): Written | CellError {
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
function writeComplex({ re, im }: Complex, unit: 'i' | 'j'): string | CellError {
  if (!Number.isFinite(re) || !Number.isFinite(im)) return ERROR['#NUM!'];
  if (im === 0) return generalText(re);
  const factor = Math.abs(im) === 1 ? (im < 0 ? '-' : '') : generalText(im);
  if (re === 0) return `${factor}${unit}`;
  return `${generalText(re)}${im < 0 ? '' : '+'}${factor}${unit}`;
}

const ONE = complex.complex(1);

/** Declares a function from a complex number to another. */
function mapping(name: string, compute: (z: Complex) => Complex): FormulaFunction {
  return define(name, ['scalar'], ([given]) => {
    const read = readComplex(given);
    return read instanceof CellError ? read : writeComplex(compute(read.value), read.unit || 'i');
  });
}

/** Declares a function from a complex number to a real one. */
function measure(name: string, compute: (z: Complex) => number | CellError): FormulaFunction {
  return define(name, ['scalar'], ([given]) => {
    const read = readComplex(given);
    return read instanceof CellError ? read : compute(read.value);
  });
}

/** Joins several complex numbers; #VALUE! when some are written with i and some with j. */
function join(values: readonly Scalar[], compute: (a: Complex, b: Complex) => Complex, spend: Spend): Value {
  const look = lookingUp(spend);
  let result: Written | undefined;
  for (const value of values) {
    look();
    const read = readComplex(value);
    if (read instanceof CellError) return read;
    if (result?.unit && read.unit && result.unit !== read.unit) return ERROR['#VALUE!'];
    result = result ? { value: compute(result.value, read.value), unit: result.unit || read.unit } : read;
  }
  return result ? writeComplex(result.value, result.unit || 'i') : 0;
}

function scalarsOf(values: readonly Value[]): Scalar[] {
  const scalars: Scalar[] = [];
  for (const value of values) {
    if (!isCells(value)) scalars.push(value);
    else for (const grid of gridsOf(value)) grid.each((cell) => scalars.push(cell));
  }
  return scalars;
}

/** Declares a function of as many complex numbers as its arguments hold. */
function joining(name: string, compute: (a: Complex, b: Complex) => Complex): FormulaFunction {
  const call = (given: readonly Value[], { spend }: CallContext) => join(scalarsOf(given), compute, spend);
  return define(name, ['any'], call, { repeats: 1 });
}

const over = (above: (z: Complex) => Complex, below: (z: Complex) => Complex) => (z: Complex) =>
  complex.divide(above(z), below(z));
const one = () => ONE;
const scaled = (z: Complex, factor: number) => complex.complex(z.re / factor, z.im / factor);

export const COMPLEX_FUNCTIONS = [
  define(
    'COMPLEX',
    ['number', 'number', 'text'],
    ([re, im, unit = 'i']) =>
      unit === 'i' || unit === 'j' ? writeComplex({ re, im }, unit) : ERROR['#VALUE!'],
    { required: 2, leftOutBy: 'emptyCell' },
  ),
  measure('IMREAL', ({ re }) => re),
  measure('IMAGINARY', ({ im }) => im),
  measure('IMABS', complex.size),
  measure('IMARGUMENT', (z) => (complex.size(z) === 0 ? ERROR['#DIV/0!'] : complex.angle(z))),
  mapping('IMCONJUGATE', ({ re, im }) => ({ re, im: -im })),
  mapping('IMEXP', complex.exp),
  mapping('IMLN', complex.ln),
  mapping('IMLOG10', (z) => scaled(complex.ln(z), Math.LN10)),
  mapping('IMLOG2', (z) => scaled(complex.ln(z), Math.LN2)),
  mapping('IMSQRT', complex.root),
  mapping('IMSIN', complex.sin),
  mapping('IMCOS', complex.cos),
  mapping('IMTAN', over(complex.sin, complex.cos)),
  mapping('IMCOT', complex.cot),
  mapping('IMSEC', over(one, complex.cos)),
  mapping('IMCSC', over(one, complex.sin)),
  mapping('IMSINH', complex.sinh),
  mapping('IMCOSH', complex.cosh),
  mapping('IMSECH', over(one, complex.cosh)),
  mapping('IMCSCH', over(one, complex.sinh)),
  define('IMPOWER', ['scalar', 'number'], ([given, exponent]) => {
    const read = readComplex(given);
    if (read instanceof CellError) return read;
    return writeComplex(complex.power(read.value, exponent), read.unit || 'i');
  }),
  define('IMSUB', ['scalar', 'scalar'], (given, context) => join(given, complex.subtract, context.spend)),
  define('IMDIV', ['scalar', 'scalar'], (given, context) => join(given, complex.divide, context.spend)),
  joining('IMSUM', complex.add),
  joining('IMPRODUCT', complex.times),
];
