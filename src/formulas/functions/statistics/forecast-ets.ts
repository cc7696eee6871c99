import {
  deviationAhead,
  foreseen,
  PASSES,
  periodOf,
  type Smoothed,
  smooth,
} from '../../numerics/exponential-smoothing.ts';
import { normalInverse } from '../../numerics/normal.ts';
import { mean, sumOfProducts } from '../../numerics/sums.ts';
import type { Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { numberOr } from '../optional.ts';
import { seriesOf, type TimeSeries } from './time-series.ts';

const NUM = ERROR['#NUM!'];
/** The longest season, which Excel takes as hours of a year. */
const MOST_STEPS = 8_760;
/** Numbers of options that were left out. */
const DEFAULTS = { seasonality: 1, completion: 1, aggregation: 1 };

interface Model {
  readonly series: TimeSeries;
  readonly smoothed: Smoothed;
}

interface Options {
  readonly seasonality: number;
  readonly completion: number;
  readonly aggregation: number;
}

function optionsOf(given: { [Name in keyof Options]?: Scalar | undefined }): Options | CellError {
  const read: Record<string, number> = {};
  for (const [name, otherwise] of Object.entries(DEFAULTS)) {
    const number = numberOr(given[name as keyof Options], otherwise);
    if (number instanceof CellError) return number;
    read[name] = Math.trunc(number);
  }
  return { ...DEFAULTS, ...read };
}

function readSeries(
  values: Grid,
  timeline: Grid,
  options: Options,
  context: CallContext,
): TimeSeries | CellError {
  context.spend(values.usedRows * values.usedColumns);
  const series = seriesOf(values, timeline, options.completion, options.aggregation, context.spend);
  if (series instanceof CellError) return series;
  return series.values.length < 2 ? NUM : series;
}

function modelOf(
  values: Grid,
  timeline: Grid,
  options: Options | CellError,
  context: CallContext,
): Model | CellError {
  if (options instanceof CellError) return options;
  const series = readSeries(values, timeline, options, context);
  if (series instanceof CellError) return series;
  const period = options.seasonality === 1 ? detected(series, context) : Math.max(options.seasonality, 1);
  if (options.seasonality < 0 || period > MOST_STEPS || period * 2 > Math.max(series.values.length, 2))
    return NUM;
  context.spend(series.values.length * PASSES);
  return { series, smoothed: smooth(series.values, period, context.spend) };
}

/** Each length of a season is compared with the whole series. */
function detected({ values }: TimeSeries, context: CallContext): number {
  context.spend((values.length * values.length) / 4);
  return periodOf(values, context.spend);
}

/** What something comes to at a time after the series; between two steps on the line between. */
function atTime(
  { series }: Model,
  time: number,
  context: CallContext,
  value: (steps: number) => number,
): NumericResult {
  const steps = series.stepsAfter(time);
  if (steps < 0) return NUM;
  const before = Math.floor(steps);
  context.spend(before);
  const part = steps - before;
  return part === 0 ? value(before) : value(before) * (1 - part) + value(before + 1) * part;
}

const forecast = define(
  'FORECAST.ETS',
  ['number', 'grid', 'grid', 'scalar', 'scalar', 'scalar'],
  ([time, values, timeline, seasonality, completion, aggregation], context) => {
    const model = modelOf(values, timeline, optionsOf({ seasonality, completion, aggregation }), context);
    if (model instanceof CellError) return model;
    return atTime(model, time, context, (steps) => foreseen(model.smoothed, steps));
  },
  { required: 3 },
);

const confidence = define(
  'FORECAST.ETS.CONFINT',
  ['number', 'grid', 'grid', 'scalar', 'scalar', 'scalar', 'scalar'],
  ([time, values, timeline, level, seasonality, completion, aggregation], context) => {
    const sure = numberOr(level, 0.95);
    if (sure instanceof CellError) return sure;
    if (sure <= 0 || sure >= 1) return NUM;
    const model = modelOf(values, timeline, optionsOf({ seasonality, completion, aggregation }), context);
    if (model instanceof CellError) return model;
    const width = normalInverse((1 + sure) / 2);
    return atTime(
      model,
      time,
      context,
      (steps) => width * deviationAhead(model.smoothed, steps, context.spend),
    );
  },
  { required: 3 },
);

const seasonality = define(
  'FORECAST.ETS.SEASONALITY',
  ['grid', 'grid', 'scalar', 'scalar'],
  ([values, timeline, completion, aggregation], context) => {
    const options = optionsOf({ completion, aggregation });
    if (options instanceof CellError) return options;
    const series = readSeries(values, timeline, options, context);
    return series instanceof CellError ? series : detected(series, context);
  },
  { required: 2 },
);

/** What is told of a model, by its number. */
const STATISTICS: Readonly<Record<number, (model: Model, spend: Spend) => NumericResult>> = {
  1: ({ smoothed }) => smoothed.rates.alpha,
  2: ({ smoothed }) => smoothed.rates.beta,
  3: ({ smoothed }) => (smoothed.seasons.length > 1 ? smoothed.rates.gamma : 0),
  4: ({ series, smoothed }, spend) => {
    const changes = series.values.slice(1).map((value, at) => Math.abs(value - (series.values[at] ?? 0)));
    const change = mean(changes, spend);
    return change === 0 ? ERROR['#DIV/0!'] : mean(smoothed.errors.map(Math.abs), spend) / change;
  },
  5: ({ series, smoothed }, spend) =>
    mean(
      smoothed.errors.map((error, at) => {
        const value = series.values[at] ?? 0;
        const size = Math.abs(value) + Math.abs(value - error);
        return size === 0 ? 0 : (2 * Math.abs(error)) / size;
      }),
      spend,
    ),
  6: ({ smoothed }, spend) => mean(smoothed.errors.map(Math.abs), spend),
  7: ({ smoothed: { errors } }, spend) => Math.sqrt(sumOfProducts(errors, errors, spend) / errors.length),
  8: ({ series }) => series.step,
};

const statistic = define(
  'FORECAST.ETS.STAT',
  ['grid', 'grid', 'number', 'scalar', 'scalar', 'scalar'],
  ([values, timeline, which, season, completion, aggregation], context) => {
    const told = STATISTICS[Math.trunc(which)];
    if (told === undefined) return NUM;
    const options = optionsOf({ seasonality: season, completion, aggregation });
    const model = modelOf(values, timeline, options, context);
    return model instanceof CellError ? model : told(model, context.spend);
  },
  { required: 3 },
);

/** Forecasts of series with seasons by exponential smoothing. */
export const FORECAST_ETS = [forecast, confidence, seasonality, statistic];
