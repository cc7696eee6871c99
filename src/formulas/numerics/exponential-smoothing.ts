import { clockTicker, type Spend } from '../steps.ts';
import { mean, sumOfProducts } from './sums.ts';

/** The smoothing rates of level, trend and seasons, each from 0 to 1. */
export interface Rates {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

/** The state after smoothing a series, from which the forecast continues. */
export interface Smoothed {
  readonly rates: Rates;
  readonly level: number;
  readonly trend: number;
  /** The seasonal terms from the first step after the end on; a single 0 without seasons. */
  readonly seasons: readonly number[];
  /** The one-step forecast errors. */
  readonly errors: readonly number[];
}

interface Start {
  readonly level: number;
  readonly trend: number;
  readonly seasons: readonly number[];
}

/** Initial rates of the search along each axis, and the number of refinements around the best. */
const GRID = [0.001, 0.2, 0.4, 0.6, 0.8, 0.999];
const ROUNDS = 12;

/** The number of passes over a series during the search. */
export const PASSES = GRID.length ** 3 + ROUNDS * 27;

/**
 * Exponential smoothing with additive errors, trend and seasons (ETS AAA, Holt-Winters), with the rates of least
 * squared error.
 * @param period the steps of a season, 1 for none
 */
export function smooth(series: readonly number[], period: number, spend: Spend): Smoothed {
  const start = startOf(series, period, spend);
  const gammas = period > 1 ? GRID : [0];
  let best = { rates: { alpha: 0.5, beta: 0.1, gamma: 0.1 }, error: Number.POSITIVE_INFINITY };
  const attempt = (rates: Rates) => {
    spend(0);
    const error = run(series, start, rates).errors.reduce((sum, one) => sum + one * one, 0);
    if (error < best.error) best = { rates, error };
  };
  for (const alpha of GRID)
    for (const beta of GRID) for (const gamma of gammas) attempt({ alpha, beta, gamma });
  for (let step = 0.1, round = 0; round < ROUNDS; round++, step /= 2) {
    for (const rates of around(best.rates, step, period > 1)) attempt(rates);
  }
  return run(series, start, best.rates);
}

function* around({ alpha, beta, gamma }: Rates, step: number, seasonal: boolean): Generator<Rates> {
  const moves = [-step, 0, step];
  for (const a of moves) {
    for (const b of moves) {
      for (const c of seasonal ? moves : [0]) {
        yield { alpha: rate(alpha + a), beta: rate(beta + b), gamma: rate(gamma + c) };
      }
    }
  }
}

function rate(value: number): number {
  return Math.min(0.999, Math.max(0.001, value));
}

/** The initial trend between the first two seasons, and the average seasonal terms of all complete seasons. */
function startOf(series: readonly number[], period: number, spend: Spend): Start {
  const trend = slopeOf(series, period, spend);
  const level = mean(series.slice(0, period), spend) - (trend * (period - 1)) / 2;
  if (period === 1) return { level: (series[0] ?? 0) - trend, trend, seasons: [0] };
  const whole = Math.floor(series.length / period) * period;
  const seasons = Array.from({ length: period }, (_, season) => {
    const added: number[] = [];
    for (let at = season; at < whole; at += period) added.push((series[at] ?? 0) - level - trend * at);
    return mean(added, spend);
  });
  return { level: level - trend, trend, seasons };
}

function slopeOf(series: readonly number[], period: number, spend: Spend): number {
  const count = Math.min(period, series.length - period);
  const slopes = Array.from(
    { length: count },
    (_, at) => ((series[at + period] ?? 0) - (series[at] ?? 0)) / period,
  );
  return count === 0 ? 0 : mean(slopes, spend);
}

function run(series: readonly number[], start: Start, rates: Rates): Smoothed {
  const { alpha, beta, gamma } = rates;
  const seasons = [...start.seasons];
  const period = seasons.length;
  const errors: number[] = [];
  let [level, trend] = [start.level, start.trend];
  for (const [at, value] of series.entries()) {
    const season = seasons[at % period] ?? 0;
    const forecastAt = level + trend;
    errors.push(value - forecastAt - season);
    const next = alpha * (value - season) + (1 - alpha) * forecastAt;
    trend = beta * (next - level) + (1 - beta) * trend;
    level = next;
    if (period > 1) seasons[at % period] = gamma * (value - level) + (1 - gamma) * season;
  }
  const turn = series.length % period;
  return { rates, level, trend, seasons: [...seasons.slice(turn), ...seasons.slice(0, turn)], errors };
}

/** The forecast so many steps after the end; 0 is the end itself. */
export function forecastAt({ level, trend, seasons }: Smoothed, steps: number): number {
  const period = seasons.length;
  return level + trend * steps + (seasons[(steps + period - 1) % period] ?? 0);
}

/** The standard deviation of the forecast so many steps after the end. */
export function deviationAhead({ rates, seasons, errors }: Smoothed, steps: number, spend: Spend): number {
  const { alpha, beta, gamma } = rates;
  const tick = clockTicker(spend);
  let variance = 1;
  for (let at = 1; at < steps; at++) {
    tick();
    const seasonal = seasons.length > 1 && at % seasons.length === 0 ? gamma * (1 - alpha) : 0;
    variance += (alpha * (1 + at * beta) + seasonal) ** 2;
  }
  return Math.sqrt(variance * (sumOfProducts(errors, errors, spend) / errors.length));
}

/** The season length of a series, 1 without one: the lag at which the changes repeat most closely. */
export function periodOf(series: readonly number[], spend: Spend): number {
  const changes = series.slice(1).map((value, at) => value - (series[at] ?? 0));
  let best = { period: 1, error: Number.POSITIVE_INFINITY };
  for (let period = 1; period <= series.length / 2 && period < changes.length; period++) {
    spend(0);
    const differences = changes.slice(period).map((change, at) => Math.abs(change - (changes[at] ?? 0)));
    const error = mean(differences, spend);
    if (error < best.error * (1 - 1e-9)) best = { period, error };
  }
  return best.period;
}
