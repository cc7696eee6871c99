import type { FormulaFunction } from '../function.ts';
import { AVERAGES } from './averages.ts';
import { CONDITIONAL_STATISTICS } from './conditional-statistics.ts';
import { CONTINUOUS_DISTRIBUTIONS } from './continuous-distributions.ts';
import { CORRELATION } from './correlation.ts';
import { COUNTS } from './counts.ts';
import { DISCRETE_DISTRIBUTIONS } from './discrete-distributions.ts';
import { FORECAST_ETS } from './forecast-ets.ts';
import { FREQUENCIES } from './frequencies.ts';
import { HYPOTHESIS_TESTS } from './hypothesis-tests.ts';
import { NORMAL_DISTRIBUTIONS } from './normal-distributions.ts';
import { RANKS } from './ranks.ts';
import { REGRESSION } from './regression.ts';
import { SAMPLING_DISTRIBUTIONS } from './sampling-distributions.ts';
import { SPREAD } from './spread.ts';

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
