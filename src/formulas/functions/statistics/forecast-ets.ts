import { normalInverse } from '../../numerics/distributions.ts';
import {
  deviationAhead,
  forecastAt,
  PASSES,
  periodOf,
  type Smoothed,
  smooth,
} from '../../numerics/exponential-smoothing.ts';
import { ascending, largest, median, smallest } from '../../numerics/quantiles.ts';
import { mean, sum, sumOfProducts } from '../../numerics/sums.ts';
import { fromSerial } from '../../serial-date.ts';
import { clockTicker, mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numberOr } from '../numbers.ts';

/** Values at equal time steps. */
interface TimeSeries {
  readonly values: readonly number[];
  /** The number of steps from the end of the series to a time. */
  readonly stepsAfter: (time: number) => number;
  /** The unit of a step: days or months. */
  readonly step: number;
}

/** The largest fraction of missing values. */
const MOST_MISSING = 0.3;
const NUM = ERROR['#NUM!'];

/** How several values of one time are combined, by number. */
const AGGREGATIONS: Readonly<
  Record<number, (values: readonly number[], spend: Spend) => number | CellError>
> = {
  1: mean,
  2: (values) => values.length,
  3: (values) => values.length,
  4: (values, spend) => largest(values, 1, spend),
  5: median,
  6: (values, spend) => smallest(values, 1, spend),
  7: sum,
};

/**
 * Reads values and their times, in any order; times may repeat, and a few may be missing.
 * @param completion 1 interpolates missing values, 0 sets them to 0
 */
function seriesOf(
  values: Grid,
  timeline: Grid,
  completion: number,
  aggregation: number,
  spend: Spend,
): TimeSeries | CellError {
  const aggregate = AGGREGATIONS[aggregation];
  if (aggregate === undefined || (completion !== 0 && completion !== 1)) return NUM;
  const byTime = valuesByTime(values, timeline);
  if (byTime instanceof CellError) return byTime;
  const times = [...ascending([...byTime.keys()], spend)];
  const positionOf = areMonthly(times, spend) ? monthOf : (time: number) => time;
  const positions = mapWithTicks(times, positionOf, spend);
  const gaps = positions.slice(1).map((position, at) => position - (positions[at] ?? 0));
  const step = gaps.reduce((least, gap) => Math.min(least, gap), gaps[0] ?? 0);
  if (!(step > 0) || gaps.some((gap) => Math.abs(gap / step - Math.round(gap / step)) > 1e-6)) return NUM;
  const found: number[] = [];
  const tick = clockTicker(spend);
  for (const time of times) {
    tick();
    const value = aggregate(byTime.get(time) ?? [], spend);
    if (value instanceof CellError) return value;
    found.push(value);
  }
  const complete = withMissing(
    found,
    gaps.map((gap) => Math.round(gap / step)),
    completion === 1,
    spend,
  );
  const last = positions.at(-1) ?? 0;
  if (complete instanceof CellError) return complete;
  return { values: complete, step, stepsAfter: (time) => (positionOf(time) - last) / step };
}

function valuesByTime(values: Grid, timeline: Grid): Map<number, number[]> | CellError {
  if (values.rows !== timeline.rows || values.columns !== timeline.columns) return ERROR['#N/A'];
  const byTime = new Map<number, number[]>();
  let error: CellError | undefined;
  timeline.each((time, row, column) => {
    const value = values.at(row, column);
    if (time instanceof CellError || value instanceof CellError)
      error ??= time instanceof CellError ? time : NUM;
    else if (typeof time !== 'number') error ??= ERROR['#VALUE!'];
    else if (typeof value === 'number') {
      const known = byTime.get(time);
      if (known === undefined) byTime.set(time, [value]);
      else known.push(value);
    }
  });
  return error ?? byTime;
}

function areMonthly(times: readonly number[], spend: Spend): boolean {
  const tick = clockTicker(spend);
  return times.every((time) => {
    tick();
    return isMonthly(time, times[0] ?? 0);
  });
}

/** A series on the same day of each month has steps of months, which differ in length. */
function isMonthly(time: number, first: number): boolean {
  return first >= 61 && Number.isInteger(time) && fromSerial(time).day === fromSerial(first).day;
}

function monthOf(time: number): number {
  const { year, month } = fromSerial(Math.floor(time));
  return year * 12 + month;
}

/** The values with missing ones filled in; #NUM! when too many are missing. */
function withMissing(
  values: readonly number[],
  gaps: readonly number[],
  byLine: boolean,
  spend: Spend,
): number[] | CellError {
  const length = 1 + sum(gaps, spend);
  if (length - values.length > length * MOST_MISSING) return NUM;
  const complete = [values[0] ?? 0];
  for (const [at, gap] of gaps.entries()) {
    const [before, after] = [values[at] ?? 0, values[at + 1] ?? 0];
    for (let fraction = 1; fraction < gap; fraction++)
      complete.push(byLine ? before + ((after - before) * fraction) / gap : 0);
    complete.push(after);
  }
  return complete;
}

/** The longest season; Excel's limit is the hours of a year. */
const MOST_STEPS = 8_760;
/** Defaults of omitted options. */
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
  const period = options.seasonality === 1 ? detectSeason(series, context) : Math.max(options.seasonality, 1);
  if (options.seasonality < 0 || period > MOST_STEPS || period * 2 > Math.max(series.values.length, 2))
    return NUM;
  context.spend(series.values.length * PASSES);
  return { series, smoothed: smooth(series.values, period, context.spend) };
}

/** Each season length is compared with the whole series. */
function detectSeason({ values }: TimeSeries, context: CallContext): number {
  context.spend((values.length * values.length) / 4);
  return periodOf(values, context.spend);
}

/** A value at a time after the series; interpolated between two steps. */
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
  const fraction = steps - before;
  return fraction === 0 ? value(before) : value(before) * (1 - fraction) + value(before + 1) * fraction;
}

const forecast = define(
  'FORECAST.ETS',
  ['number', 'grid', 'grid', 'scalar', 'scalar', 'scalar'],
  ([time, values, timeline, seasonality, completion, aggregation], context) => {
    const model = modelOf(values, timeline, optionsOf({ seasonality, completion, aggregation }), context);
    if (model instanceof CellError) return model;
    return atTime(model, time, context, (steps) => forecastAt(model.smoothed, steps));
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
    return series instanceof CellError ? series : detectSeason(series, context);
  },
  { required: 2 },
);

/** The statistics of a model, by number. */
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
    const compute = STATISTICS[Math.trunc(which)];
    if (compute === undefined) return NUM;
    const options = optionsOf({ seasonality: season, completion, aggregation });
    const model = modelOf(values, timeline, options, context);
    return model instanceof CellError ? model : compute(model, context.spend);
  },
  { required: 3 },
);

/** Forecasts of seasonal series by exponential smoothing. */
export const FORECAST_ETS = [forecast, confidence, seasonality, statistic];
