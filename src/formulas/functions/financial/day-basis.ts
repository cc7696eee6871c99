import { type CalendarDay, fromSerial } from '../../serial-date.ts';
import { days360, days360OfYears, yearLength } from '../datetime/day-count.ts';

/** How days and years are counted: 0 American 30/360, 1 actual, 2 actual/360, 3 actual/365, 4 European 30/360. */
export type Basis = 0 | 1 | 2 | 3 | 4;

export function isBasis(given: number): given is Basis {
  return [0, 1, 2, 3, 4].includes(given);
}

/** Days from one serial number to a later one. */
export function daysBetween(from: number, to: number, basis: Basis): number {
  if (basis === 0) return days360OfYears(fromSerial(from), fromSerial(to));
  return basis === 4 ? days360(fromSerial(from), fromSerial(to), 'european') : to - from;
}

/** Years from one serial number to another, as YEARFRAC counts them. */
export function yearsBetween(one: number, other: number, basis: Basis): number {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return daysBetween(from, to, basis) / daysOfYear(fromSerial(from), fromSerial(to), basis);
}

function daysOfYear(from: CalendarDay, to: CalendarDay, basis: Basis): number {
  if (basis === 1) return yearLength(from, to);
  return basis === 3 ? 365 : 360;
}
