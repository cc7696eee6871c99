import { type CalendarDay, fromSerial } from '../../serial-date.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { withDays } from './day.ts';
import { days360, days360OfYears, yearLength } from './day-count.ts';

/** The ways to count a year, by their number. */
const BASES: readonly ((start: CalendarDay, end: CalendarDay, days: number) => number)[] = [
  (start, end) => days360OfYears(start, end) / 360,
  (start, end, days) => days / yearLength(start, end),
  (_start, _end, days) => days / 360,
  (_start, _end, days) => days / 365,
  (start, end) => days360(start, end, 'european') / 360,
];

export const YEARFRAC = define(
  'YEARFRAC',
  ['number', 'number', 'number'],
  ([start, end, basis = 0]) => {
    const fraction = BASES[Math.trunc(basis)];
    if (fraction === undefined) return ERROR['#NUM!'];
    return withDays(Math.min(start, end), Math.max(start, end), (first, last) =>
      fraction(fromSerial(first), fromSerial(last), last - first),
    );
  },
  { required: 2 },
);
