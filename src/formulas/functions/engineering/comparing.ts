import { erf, erfc } from '../../numerics/normal.ts';
import { alias, numeric } from '../numeric.ts';

const erfcFunction = numeric('ERFC', 1, 1, erfc);

export const COMPARING = [
  numeric('DELTA', 1, 2, (a, b = 0) => Number(a === b), { addIn: true }),
  numeric('GESTEP', 1, 2, (number, step = 0) => Number(number >= step), { addIn: true }),
  numeric('ERF', 1, 2, (from, to) => (to === undefined ? erf(from) : erf(to) - erf(from)), {
    leftOutBy: 'emptyCell',
  }),
  numeric('ERF.PRECISE', 1, 1, erf),
  erfcFunction,
  alias('ERFC.PRECISE', erfcFunction),
];
