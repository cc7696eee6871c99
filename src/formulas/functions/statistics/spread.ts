import { deviation, standardMoment, variance } from '../../numerics/moments.ts';
import { mean, squaredDeviations, sumOf } from '../../numerics/sums.ts';
import type { Spend } from '../../spending.ts';
import { ERROR, type NumericResult } from '../../values.ts';
import { everyKind } from '../numbers.ts';
import { alias, statistic } from '../numeric.ts';

/** #DIV/0! of fewer numbers than `least`, or where the answer is not defined because they are all the same. */
function ofAtLeast(least: number, compute: (numbers: readonly number[], spend: Spend) => number) {
  return (numbers: readonly number[], spend: Spend): NumericResult => {
    const answer = numbers.length < least ? Number.NaN : compute(numbers, spend);
    return Number.isNaN(answer) ? ERROR['#DIV/0!'] : answer;
  };
}

function skewness(numbers: readonly number[], spend: Spend): number {
  const n = numbers.length;
  return (standardMoment(numbers, 3, 'sample', spend) * n) / ((n - 1) * (n - 2));
}

function kurtosis(numbers: readonly number[], spend: Spend): number {
  const n = numbers.length;
  const left = (n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3));
  return standardMoment(numbers, 4, 'sample', spend) * left - (3 * (n - 1) ** 2) / ((n - 2) * (n - 3));
}

function meanDeviation(numbers: readonly number[], spend: Spend): NumericResult {
  if (numbers.length === 0) return ERROR['#NUM!'];
  const middle = mean(numbers, spend);
  return sumOf(numbers, (number) => Math.abs(number - middle), spend) / numbers.length;
}

const ofSample = (numbers: readonly number[], spend: Spend) => deviation(numbers, 'sample', spend);
const ofPopulation = (numbers: readonly number[], spend: Spend) => deviation(numbers, 'population', spend);
const sampleVariance = (numbers: readonly number[], spend: Spend) => variance(numbers, 'sample', spend);
const populationVariance = (numbers: readonly number[], spend: Spend) =>
  variance(numbers, 'population', spend);

const stdevS = statistic('STDEV.S', ofSample);
const stdevP = statistic('STDEV.P', ofPopulation);
const varS = statistic('VAR.S', sampleVariance);
const varP = statistic('VAR.P', populationVariance);

export const SPREAD = [
  stdevS,
  alias('STDEV', stdevS),
  stdevP,
  alias('STDEVP', stdevP),
  varS,
  alias('VAR', varS),
  varP,
  alias('VARP', varP),
  statistic('STDEVA', ofSample, everyKind),
  statistic('STDEVPA', ofPopulation, everyKind),
  statistic('VARA', sampleVariance, everyKind),
  statistic('VARPA', populationVariance, everyKind),
  statistic('DEVSQ', (numbers, spend) =>
    numbers.length === 0 ? ERROR['#NUM!'] : squaredDeviations(numbers, spend),
  ),
  statistic('AVEDEV', meanDeviation),
  statistic('SKEW', ofAtLeast(3, skewness)),
  statistic(
    'SKEW.P',
    ofAtLeast(3, (numbers, spend) => standardMoment(numbers, 3, 'population', spend) / numbers.length),
  ),
  statistic('KURT', ofAtLeast(4, kurtosis)),
];
