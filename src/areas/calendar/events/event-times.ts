import type { Moment } from '../../../formats/icalendar/values.ts';
import { DAY_SECONDS, dateOf, dayOf } from '../../../formats/recurrence/civil.ts';
import { shownTime } from './shown-time.ts';

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:([Zz])|([+-])(\d\d):(\d\d))?)?$/;

/** A date, or a time with or without an offset, to the second; undefined for what names no such point in time. */
export function momentOf(text: string): Moment | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(toNumber);
  const day = dayOf(year, month, date);
  const isDate = year > 0 && dateOf(day).day === date && dateOf(day).month === month;
  if (!isDate || hour > 23 || minute > 59 || second > 59) return undefined;
  if (match[4] === undefined) return { kind: 'date', day };
  const seconds = day * DAY_SECONDS + hour * 3600 + minute * 60 + second;
  const [hours = 0, minutes = 0] = match.slice(9).map(toNumber);
  if (hours > 23 || minutes > 59) return undefined;
  if (match[7] === undefined && match[8] === undefined) return { kind: 'local', seconds };
  return { kind: 'utc', seconds: seconds - (match[8] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60) };
}

function toNumber(text: string | undefined): number {
  return Number(text ?? 0);
}

/** A moment as a request would give it, and an answer shows it. */
export function momentAsTime(moment: Moment): string {
  if (moment.kind === 'date') return shownTime(moment.day * DAY_SECONDS * 1000).slice(0, 10);
  return moment.kind === 'utc'
    ? shownTime(moment.seconds * 1000)
    : shownTime(moment.seconds * 1000).slice(0, -1);
}
