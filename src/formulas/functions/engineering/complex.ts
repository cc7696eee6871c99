import { generalText } from '../../conversions.ts';
import type { Complex } from '../../numerics/complex.ts';
import * as complex from '../../numerics/complex.ts';
import { clockTicker, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define, type FormulaFunction } from '../function.ts';
import { gridsOf, isCells } from '../numbers.ts';

/** A complex number from a cell with its imaginary unit; '' for a real number. */
interface Written {
  readonly value: Complex;
  readonly unit: '' | 'i' | 'j';
}

const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:E[+-]?\\d{1,3})?';
const REAL = new RegExp(`^${NUMBER}$`, 'i');
const WHOLE = new RegExp(`^(${NUMBER}(?![\\d.ij]))?([+-]?|${NUMBER})([ij])$`);

/** Parses "3+4i", "-j", "2.5"; #NUM! for any other text. */
function readComplex(given: Scalar): Written | CellError {
  if (given instanceof CellError) return given;
  if (typeof given === 'boolean') return ERROR['#VALUE!'];
  if (typeof given !== 'string') return { value: { re: given ?? 0, im: 0 }, unit: '' };
  if (given.length > 100) return ERROR['#NUM!'];
  if (REAL.test(given)) return { value: { re: Number(given), im: 0 }, unit: '' };
  const [matched, re = '0', im = '', unit] = WHOLE.exec(given) ?? [];
  // The two parts need a sign between them: "34i" is 34i.
  if (matched === undefined || (re !== '0' && !/^[+-]/.test(im))) return ERROR['#NUM!'];
  const factor = /\d/.test(im) ? Number(im) : Number(`${im}1`);
  return { value: { re: Number(re), im: factor }, unit: unit as 'i' | 'j' };
}

/** Formats a complex number with 15 digits for each part; #NUM! when a part is infinite. */
function writeComplex({ re, im }: Complex, unit: 'i' | 'j'): string | CellError {
  if (!Number.isFinite(re) || !Number.isFinite(im)) return ERROR['#NUM!'];
  if (im === 0) return generalText(re);
  const factor = Math.abs(im) === 1 ? (im < 0 ? '-' : '') : generalText(im);
  if (re === 0) return `${factor}${unit}`;
  return `${generalText(re)}${im < 0 ? '' : '+'}${factor}${unit}`;
}

const ONE = complex.complex(1);

/** Defines a function from complex to complex numbers. */
function complexFunction(name: string, compute: (z: Complex) => Complex): FormulaFunction {
  return define(name, ['scalar'], ([given]) => {
    const read = readComplex(given);
    return read instanceof CellError ? read : writeComplex(compute(read.value), read.unit || 'i');
  });
}

/** Defines a function from complex to real numbers. */
function realFunction(name: string, compute: (z: Complex) => number | CellError): FormulaFunction {
  return define(name, ['scalar'], ([given]) => {
    const read = readComplex(given);
    return read instanceof CellError ? read : compute(read.value);
  });
}

/** Combines complex numbers; #VALUE! when i and j are mixed. */
function join(values: readonly Scalar[], compute: (a: Complex, b: Complex) => Complex, spend: Spend): Value {
  const tick = clockTicker(spend);
  let result: Written | undefined;
  for (const value of values) {
    tick();
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

/** Defines a function of any number of complex numbers. */
function combination(name: string, compute: (a: Complex, b: Complex) => Complex): FormulaFunction {
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
  realFunction('IMREAL', ({ re }) => re),
  realFunction('IMAGINARY', ({ im }) => im),
  realFunction('IMABS', complex.size),
  realFunction('IMARGUMENT', (z) => (complex.size(z) === 0 ? ERROR['#DIV/0!'] : complex.angle(z))),
  complexFunction('IMCONJUGATE', ({ re, im }) => ({ re, im: -im })),
  complexFunction('IMEXP', complex.exp),
  complexFunction('IMLN', complex.ln),
  complexFunction('IMLOG10', (z) => scaled(complex.ln(z), Math.LN10)),
  complexFunction('IMLOG2', (z) => scaled(complex.ln(z), Math.LN2)),
  complexFunction('IMSQRT', complex.root),
  complexFunction('IMSIN', complex.sin),
  complexFunction('IMCOS', complex.cos),
  complexFunction('IMTAN', over(complex.sin, complex.cos)),
  complexFunction('IMCOT', complex.cot),
  complexFunction('IMSEC', over(one, complex.cos)),
  complexFunction('IMCSC', over(one, complex.sin)),
  complexFunction('IMSINH', complex.sinh),
  complexFunction('IMCOSH', complex.cosh),
  complexFunction('IMSECH', over(one, complex.cosh)),
  complexFunction('IMCSCH', over(one, complex.sinh)),
  define('IMPOWER', ['scalar', 'number'], ([given, exponent]) => {
    const read = readComplex(given);
    if (read instanceof CellError) return read;
    return writeComplex(complex.power(read.value, exponent), read.unit || 'i');
  }),
  define('IMSUB', ['scalar', 'scalar'], (given, context) => join(given, complex.subtract, context.spend)),
  define('IMDIV', ['scalar', 'scalar'], (given, context) => join(given, complex.divide, context.spend)),
  combination('IMSUM', complex.add),
  combination('IMPRODUCT', complex.times),
];
