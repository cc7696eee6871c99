import { type CalendarDay, daysInMonth, toSerial } from '../../serial-date.ts';

/** Days between two days when every month has 30, by the American (NASD) or the European rule. */
export function days360(start: CalendarDay, end: CalendarDay, rule: 'american' | 'european'): number {
  const first = rule === 'american' && isLastOfFebruary(start) ? 30 : Math.min(start.day, 30);
  const last = rule === 'european' || first === 30 ? Math.min(end.day, 30) : end.day;
  return (end.year - start.year) * 360 + (end.month - start.month) * 30 + last - first;
}

/** As `days360` by the American rule, where two ends of February are a whole number of years apart too. */
export function days360OfYears(start: CalendarDay, end: CalendarDay): number {
  const both = isLastOfFebruary(start) && isLastOfFebruary(end);
  return days360(start, both ? { ...end, day: 30 } : end, 'american');
}

/** How long a year is by which Excel divides actual days: one year's length, or the mean of all that are touched. */
export function yearLength(start: CalendarDay, end: CalendarDay): number {
  const withinOne =
    end.year === start.year ||
    (end.year === start.year + 1 &&
      (end.month < start.month || (end.month === start.month && end.day <= start.day)));
  if (!withinOne) {
    return (toSerial(end.year + 1, 1, 1) - toSerial(start.year, 1, 1)) / (end.year - start.year + 1);
  }
  return touchesLeapDay(start, end) ? 366 : 365;
}

function touchesLeapDay(start: CalendarDay, end: CalendarDay): boolean {
  if (start.year === end.year) return isLeap(start.year);
  return (
    (isLeap(start.year) && start.month <= 2) ||
    (isLeap(end.year) && (end.month > 2 || (end.day === 29 && end.month === 2)))
  );
}

export function isLeap(year: number): boolean {
  return daysInMonth(year, 2) === 29;
}

function isLastOfFebruary({ year, month, day }: CalendarDay): boolean {
  return month === 2 && day === daysInMonth(year, 2);
}
