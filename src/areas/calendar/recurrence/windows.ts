import type { Problem } from '../../../contract/operation.ts';
import { MAX_WINDOW_MS } from '../availability/availability-schema.ts';
import { canBeShown } from '../events/shown-time.ts';
import type { Interval } from './intervals.ts';

/** The window that a request names by two times of RFC 3339, in milliseconds since the epoch. */
export function windowOf({ start, end }: { start: string; end: string }): Interval {
  return { start: Date.parse(start), end: Date.parse(end) };
}

type Place = (name: 'start' | 'end') => { pointer: string } | { parameter: string };

/** What the schema cannot say of a window: "366 days, end after start". */
export function windowProblems(
  { start, end }: { start?: string | undefined; end?: string | undefined },
  place: Place,
): Problem[] {
  const missing = (['start', 'end'] as const).filter((name) =>
    Number.isNaN(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (missing.length > 0) {
    const message = 'Must be a time that exists.';
    return missing.map((name) => ({ ...place(name), code: 'wrong_format', message }));
  }
  const beyond = (['start', 'end'] as const).filter(
    (name) => !canBeShown(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (beyond.length > 0) {
    const message = 'Must be within the years 0 to 9999 in UTC.';
    return beyond.map((name) => ({ ...place(name), code: 'not_allowed', message }));
  }
  if (start === undefined || end === undefined) return [];
  const length = Date.parse(end) - Date.parse(start);
  if (length <= 0) return [{ ...place('end'), code: 'not_allowed', message: 'Must be after start.' }];
  if (length <= MAX_WINDOW_MS) return [];
  return [{ ...place('end'), code: 'too_large', message: 'Must be at most 366 days after start.' }];
}
