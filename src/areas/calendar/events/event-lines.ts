import { createHash } from 'node:crypto';
import { durationText, type Moment, momentText } from '../../../formats/icalendar/values.ts';
import { component, zoneComponent } from '../../../formats/icalendar/write.ts';
import { DAY_SECONDS } from '../../../formats/recurrence/civil.ts';
import type { EventDefinition, Meeting, MeetingTime, Override, Series, ZoneRef } from './definition.ts';

/** Properties of an event outside of its definition. */
export interface EventFrame {
  uid: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** Whether a meeting keeps its owner busy, if it takes place. */
  isOpaque: (meeting: Meeting) => boolean;
  /** Further lines of a meeting. */
  further?: (meeting: Meeting) => readonly string[];
}

/** An event as VEVENTs, after the time zones that it defines itself: only its times, unless the frame has more. */
export function eventText(definition: EventDefinition, frame: EventFrame): string {
  const { series } = definition;
  const overrides = [...(series ? laterFirst(series, definition.overrides) : []), ...definition.overrides];
  const meetings = [...(series ? [series] : []), ...overrides];
  const zones = new Map(meetings.map(({ zone }) => [zoneName(zone), zone]));
  return [
    ...[...zones].map(([name, zone]) =>
      name !== undefined && typeof zone === 'object' && zone ? zoneComponent(name, zone) : '',
    ),
    ...(series
      ? [component('VEVENT', [...frameLines(series, frame, recurs(series)), ...seriesLines(series)])]
      : []),
    ...overrides.map((override) =>
      component('VEVENT', [...frameLines(override, frame, false), recurrenceId(override)]),
    ),
  ].join('');
}

/**
 * An override for the first instance of a series that starts at the second occurrence of an ambiguous local time:
 * DTSTART cannot express that, an override can.
 */
function laterFirst(series: Series, overrides: readonly Override[]): Override[] {
  const { exact, start } = series;
  const of: Moment = { kind: 'local', seconds: start };
  const isTaken = overrides.some((override) => override.of.kind === 'local' && override.of.seconds === start);
  return exact === undefined || !recurs(series) || isTaken ? [] : [{ ...series, of, andFuture: false }];
}

function recurs({ rules, included }: Series): boolean {
  return rules.length + included.length > 0;
}

function frameLines(
  meeting: Meeting,
  { uid, updatedAt, isOpaque, further }: EventFrame,
  isRecurring: boolean,
): string[] {
  const { allDay, exact } = meeting;
  const start: Moment =
    exact !== undefined && !isRecurring
      ? { kind: 'utc', seconds: exact }
      : localMoment(meeting.start, allDay);
  return [
    `UID:${uid}`,
    `DTSTAMP:${momentText({ kind: 'utc', seconds: Math.floor(updatedAt / 1000) })}`,
    momentLine('DTSTART', start, meeting.zone),
    `DURATION:${durationText(meeting)}`,
    `STATUS:${meeting.status.toUpperCase()}`,
    `TRANSP:${isOpaque(meeting) ? 'OPAQUE' : 'TRANSPARENT'}`,
    ...(further?.(meeting) ?? []),
  ];
}

function seriesLines(series: Series): string[] {
  const { rules, included, excluded, excludingRules = [], zone } = series;
  return [
    ...rules.map(({ text }) => `RRULE:${text}`),
    ...included.map((time) => inclusionLine(time, series)),
    ...excluded.map((moment) => momentLine('EXDATE', moment, zone)),
    ...excludingRules.map(({ text }) => `EXRULE:${text}`),
  ];
}

function inclusionLine(time: MeetingTime, { zone, allDay, days, seconds }: Series): string {
  const start = localMoment(time.start, allDay);
  if (time.days === days && time.seconds === seconds) return momentLine('RDATE', start, zone);
  const line = momentLine('RDATE;VALUE=PERIOD', localMoment(time.start, false), zone);
  return `${line}/${durationText(time)}`;
}

/** RECURRENCE-ID as an import wrote it. A local time without a zone uses the clock of the series. */
function recurrenceId({ of, andFuture }: Override): string {
  return momentLine(`RECURRENCE-ID${andFuture ? ';RANGE=THISANDFUTURE' : ''}`, of, null);
}

function localMoment(seconds: number, allDay: boolean): Moment {
  return allDay ? { kind: 'date', day: Math.floor(seconds / DAY_SECONDS) } : { kind: 'local', seconds };
}

function momentLine(property: string, moment: Moment, zone: ZoneRef): string {
  const name = moment.kind === 'local' ? zoneName(zone) : undefined;
  if (name === 'UTC' && moment.kind === 'local')
    return `${property}:${momentText({ ...moment, kind: 'utc' })}`;
  const type = moment.kind === 'date' ? ';VALUE=DATE' : '';
  return `${property}${type}${name === undefined ? '' : `;TZID=${name}`}:${momentText(moment)}`;
}

/** The TZID of a zone. A zone that an import defined gets a name from its digest. Undefined for the calendar's zone. */
function zoneName(zone: ZoneRef): string | undefined {
  if (zone === null || typeof zone === 'string') return zone ?? undefined;
  const digest = createHash('sha256').update(JSON.stringify(zone)).digest('base64url');
  return `Defined-${digest.slice(0, 22)}`;
}
