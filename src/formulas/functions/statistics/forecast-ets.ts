import { normalInverse } from '../../numerics/distributions.ts';
import {
  deviationAhead,
  foreseen,
  PASSES,
  periodOf,
  type Smoothed,
  smooth,
} from '../../numerics/exponential-smoothing.ts';
import { largest, median, smallest, sorted } from '../../numerics/quantiles.ts';
import { mean, sum, sumOfProducts } from '../../numerics/sums.ts';
import { fromSerial } from '../../serial-date.ts';
import { lookingUp, mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Scalar } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numberOr } from '../numbers.ts';

/** Values at even distances in time. */
interface TimeSeries {
  readonly values: readonly number[];
  /** How many steps a time lies after the last of the series. */
  readonly stepsAfter: (time: number) => number;
  /** What lies between two values: days, or months. */
  readonly step: number;
}

/** As many values may be missing as this share of the series. */
const MOST_MISSING = 0.3;
const NUM = ERROR['#NUM!'];

/** What is made of several values of one time, by its number. */
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
 * Reads values and their times, in any order: times may be repeated and a few may be missing.
 * @param completion 1 puts the line between its neighbours in the place of what is missing, 0 puts 0
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
  const times = [...sorted([...byTime.keys()], spend)];
  const placeOf = areMonthly(times, spend) ? monthOf : (time: number) => time;
  const places = mapLooking(times, placeOf, spend);
  const gaps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  const step = gaps.reduce((least, gap) => Math.min(least, gap), gaps[0] ?? 0);
  if (!(step > 0) || gaps.some((gap) => Math.abs(gap / step - Math.round(gap / step)) > 1e-6)) return NUM;
  const found: number[] = [];
  const look = lookingUp(spend);
  for (const time of times) {
    look();
    const value = aggregate(byTime.get(time) ?? [], spend);
    if (value instanceof CellError) return value;
    found.push(value);
  }
  const complete = completed(
    found,
    gaps.map((gap) => Math.round(gap / step)),
    completion === 1,
    spend,
  );
  const last = places.at(-1) ?? 0;
  if (complete instanceof CellError) return complete;
  return { values: complete, step, stepsAfter: (time) => (placeOf(time) - last) / step };
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
  const look = lookingUp(spend);
  return times.every((time) => {
    look();
    return isMonthly(time, times[0] ?? 0);
  });
}

/** Days of months that are the same as the first are told by months, which differ in length. */
function isMonthly(time: number, first: number): boolean {
  return first >= 61 && Number.isInteger(time) && fromSerial(time).day === fromSerial(first).day;
}

function monthOf(time: number): number {
  const { year, month } = fromSerial(Math.floor(time));
  return year * 12 + month;
}

/** The values with those that are missing between; #NUM! where too many are. */
function completed(
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
    for (let part = 1; part < gap; part++)
      complete.push(byLine ? before + ((after - before) * part) / gap : 0);
    complete.push(after);
  }
  return complete;
}

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
