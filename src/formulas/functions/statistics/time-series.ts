import { largest, median, smallest, sorted } from '../../numerics/quantiles.ts';
import { mean, sum } from '../../numerics/sums.ts';
import { fromSerial } from '../../serial-date.ts';
import { lookingUp, mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid } from '../../values.ts';

/** Values at even distances in time. */
export interface TimeSeries {
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
export function seriesOf(
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
