import type { FormulaFunction } from '../function.ts';
import { AVERAGES, CONDITIONAL_STATISTICS, COUNTS } from './averages-and-counts.ts';
import {
  CONTINUOUS_DISTRIBUTIONS,
  DISCRETE_DISTRIBUTIONS,
  NORMAL_DISTRIBUTIONS,
  SAMPLING_DISTRIBUTIONS,
} from './distributions.ts';
import { FORECAST_ETS } from './forecast-ets.ts';
import { HYPOTHESIS_TESTS } from './hypothesis-tests.ts';
import { FREQUENCIES, RANKS, SPREAD } from './ranks-and-spread.ts';
import { CORRELATION, REGRESSION } from './regression.ts';

/** Statistics and probability. */
export const FUNCTIONS: readonly FormulaFunction[] = [
  ...AVERAGES,
  ...COUNTS,
  ...CONDITIONAL_STATISTICS,
  ...SPREAD,
  ...RANKS,
  ...CORRELATION,
  ...REGRESSION,
  ...FORECAST_ETS,
  ...FREQUENCIES,
  ...HYPOTHESIS_TESTS,
  ...NORMAL_DISTRIBUTIONS,
  ...SAMPLING_DISTRIBUTIONS,
  ...CONTINUOUS_DISTRIBUTIONS,
  ...DISCRETE_DISTRIBUTIONS,
];
