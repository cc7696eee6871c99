/** The times that RFC 3339 can say, in milliseconds since the epoch: "years have four digits". */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a time, in milliseconds since the epoch, can be said. */
export function canBeShown(time: number): boolean {
  return time >= FIRST && time <= LAST;
}

/** A time as an answer shows it; the first or the last that can be said stands for what lies beyond, as ends of meetings may. */
export function shownTime(time: number): string {
  return new Date(Math.min(Math.max(time, FIRST), LAST)).toISOString();
}
