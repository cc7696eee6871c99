import { findRate } from '../../numerics/solve.ts';
import { sumOf } from '../../numerics/sums.ts';
import { isSerial } from '../../serial-date.ts';
import { clockTicker, mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type NumericResult, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { type CellReading, collectNumbers, type Numbers, numbersOf, numbersOnly } from '../numbers.ts';

/** The approximate number of evaluations during a search for a rate. */
const STEPS_OF_SEARCH = 300;

function presentValue(rate: number, flows: readonly number[], spend: Spend): number {
  const tick = clockTicker(spend);
  return flows.reduceRight((value, flow) => {
    tick();
    return (value + flow) / (1 + rate);
  }, 0);
}

function hasBothSigns(flows: readonly number[]): boolean {
  return flows.some((flow) => flow > 0) && flows.some((flow) => flow < 0);
}

function internalRate(grid: Grid, guess: number, context: CallContext): NumericResult {
  const all = numbersOf(grid);
  if (all instanceof CellError) return all;
  const flows = all.slice(all.findIndex((flow) => flow !== 0));
  if (guess <= -1) return ERROR['#VALUE!'];
  if (!hasBothSigns(flows)) return ERROR['#NUM!'];
  context.spend(flows.length * STEPS_OF_SEARCH);
  // As the value on the day of the first flow: the value before it would vanish as the rate grows.
  return findRate((rate) => presentValue(rate, flows, context.spend) * (1 + rate), guess) ?? ERROR['#NUM!'];
}

function modifiedRate(grid: Grid, financing: number, reinvesting: number, spend: Spend): NumericResult {
  const flows = numbersOf(grid);
  if (flows instanceof CellError) return flows;
  const last = flows.length - 1;
  const spent = sumOf(flows, (flow, i) => (flow < 0 ? -flow / (1 + financing) ** i : 0), spend);
  const earned = sumOf(flows, (flow, i) => (flow > 0 ? flow * (1 + reinvesting) ** (last - i) : 0), spend);
  return spent === 0 || last < 1 ? ERROR['#DIV/0!'] : (earned / spent) ** (1 / last) - 1;
}

interface DatedFlows {
  readonly flows: readonly number[];
  /** Years since the first flow. */
  readonly years: readonly number[];
}

/** How XIRR reads cells: numbers only, else #VALUE!. */
const numbersAlone: CellReading = (cell) =>
  typeof cell === 'number' || cell instanceof CellError ? cell : ERROR['#VALUE!'];

function datedFlows(flows: Numbers, days: Numbers, spend: Spend): DatedFlows | CellError {
  if (flows instanceof CellError) return flows;
  if (days instanceof CellError) return days;
  if (flows.length !== days.length || flows.length === 0) return ERROR['#NUM!'];
  const first = Math.trunc(days[0] ?? 0);
  const years = mapWithTicks(days, (day) => (Math.trunc(day) - first) / 365, spend);
  return years.some((year) => year < 0) || !isSerial(first) ? ERROR['#NUM!'] : { flows, years };
}

/** How XIRR reads flows: with fewer flows than dates, the missing ones are 0. */
function flowsAtDates(values: Grid, dates: Grid): Numbers {
  const given = numbersOf(values, numbersAlone);
  if (given instanceof CellError || values.rows !== dates.rows || values.columns !== dates.columns)
    return given;
  const flows: number[] = [];
  dates.each((_day, row, column) => {
    const flow = values.at(row, column);
    flows.push(typeof flow === 'number' ? flow : 0);
  });
  return flows;
}

function datedValue(rate: number, { flows, years }: DatedFlows, spend: Spend): number {
  return sumOf(flows, (flow, i) => flow / (1 + rate) ** (years[i] ?? 0), spend);
}

function datedRate(values: Grid, dates: Grid, guess: number, context: CallContext): NumericResult {
  const dated = datedFlows(flowsAtDates(values, dates), numbersOf(dates, numbersAlone), context.spend);
  if (dated instanceof CellError) return dated;
  if (!hasBothSigns(dated.flows) || guess <= -1) return ERROR['#NUM!'];
  context.spend(dated.flows.length * STEPS_OF_SEARCH);
  return findRate((rate) => datedValue(rate, dated, context.spend), guess) ?? ERROR['#NUM!'];
}

export const CASH_FLOWS = [
  define(
    'NPV',
    ['number', 'any'],
    ([rate, ...values]: readonly [number, ...Value[]], context) => {
      if (rate === -1) return ERROR['#DIV/0!'];
      const flows = collectNumbers(values);
      return flows instanceof CellError ? flows : presentValue(rate, flows, context.spend);
    },
    { repeats: 1 },
  ),
  define('IRR', ['grid', 'number'], ([grid, guess = 0.1], context) => internalRate(grid, guess, context), {
    required: 1,
  }),
  define('MIRR', ['grid', 'number', 'number'], ([grid, financing, reinvesting], context) =>
    modifiedRate(grid, financing, reinvesting, context.spend),
  ),
  define('XNPV', ['number', 'grid', 'grid'], ([rate, values, dates], context) => {
    const [flows, days] = [numbersOf(values, numbersOnly), numbersOf(dates, numbersOnly)];
    const dated = datedFlows(flows, days, context.spend);
    if (dated instanceof CellError) return dated;
    return rate < 0 ? ERROR['#NUM!'] : datedValue(rate, dated, context.spend);
  }),
  define(
    'XIRR',
    ['grid', 'grid', 'number'],
    ([values, dates, guess = 0.1], context) => datedRate(values, dates, guess, context),
    { required: 2, leftOutBy: 'emptyCell' },
  ),
  define('FVSCHEDULE', ['number', 'grid'], ([present, grid]) => {
    const rates = numbersOf(grid);
    return rates instanceof CellError ? rates : rates.reduce((value, rate) => value * (1 + rate), present);
  }),
];
