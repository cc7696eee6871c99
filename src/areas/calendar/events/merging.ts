import type { ImportedPart } from '../transfer/import-parts.ts';
import { type EventDefinition, type Meeting, meetingsOf, type Override, type Series } from './definition.ts';
import type { ImportedEvent } from './event-reading.ts';
import type { CalendarImportReport } from './event-schema.ts';
import { isMoved, withKnownResponses } from './responses.ts';

/** Instances of one event that differ from its series. */
const MOST_OVERRIDES = 10_000;

/** Characters of one event with all of its instances, about: it is written, read and compared in one piece. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** What each takes beside the texts in it. */
const OF_MEETING = 250;
const OF_ATTENDEE = 45;
const OF_TIME = 40;

const OUTDATED = 'A later version of it is there already, by its SEQUENCE or DTSTAMP.';
const TOO_MANY_OVERRIDES = `The event has over ${MOST_OVERRIDES} instances that differ from its series.`;
const TOO_LARGE = 'The event and its instances list too many people and times.';

/** What the parts of one event make of it, and which of them were not taken, or not whole. */
export interface MergedEvent {
  /** Undefined where every part is outdated, or where it would be too large. */
  definition: EventDefinition | undefined;
  skipped: CalendarImportReport['skipped'];
}

/**
 * A series takes the place of the former one and of what differed in it; instances that came before their series stay.
 * An instance that comes alone changes the series that is there, or stands alone. What is older than what is there, or
 * than another part of the file, is left out; with an outdated series go the instances that only it knows.
 */
export function mergedEvent(
  former: EventDefinition | undefined,
  events: readonly ImportedEvent[],
): MergedEvent {
  const known = new Map(partsOf(former).map((part) => [keyOf(part), meetingOf(part)]));
  const { latest, outdated } = latestOf(events);
  const isOutdated = ({ part }: ImportedEvent) => {
    const rival = known.get(keyOf(part));
    return rival !== undefined && isOlder(meetingOf(part), rival);
  };
  const series = latest.find(({ part }) => 'series' in part);
  const isOldFile = series !== undefined && isOutdated(series);
  const isLeftOut = (event: ImportedEvent) =>
    isOutdated(event) || (isOldFile && !known.has(keyOf(event.part)));
  const taken = latest.filter((event) => !isLeftOut(event));
  const parts = taken.map(({ part }) => answeredPart(part, known));
  const skipped = skippedFor(OUTDATED, [...outdated, ...latest.filter(isLeftOut)]);
  const cut = taken.flatMap(({ index, line, leftOut }) =>
    leftOut === undefined ? [] : [{ index, line, reason: leftOut }],
  );
  if (parts.length === 0) return { definition: undefined, skipped };
  const definition = definitionOf(former, parts);
  const problem = problemOf(definition);
  if (problem !== undefined)
    return { definition: undefined, skipped: [...skipped, ...skippedFor(problem, taken)] };
  return { definition, skipped: [...skipped, ...cut] };
}

function skippedFor(reason: string, events: readonly ImportedEvent[]): MergedEvent['skipped'] {
  return events.map(({ index, line }) => ({ index, line, reason }));
}

/** Of the parts that say the same thing the latest, of equally old ones the last; and those that are older. */
function latestOf(events: readonly ImportedEvent[]): { latest: ImportedEvent[]; outdated: ImportedEvent[] } {
  const latest = new Map<string, ImportedEvent>();
  const outdated: ImportedEvent[] = [];
  for (const event of events) {
    const key = keyOf(event.part);
    const rival = latest.get(key);
    if (rival && isOlder(meetingOf(event.part), meetingOf(rival.part))) {
      outdated.push(event);
      continue;
    }
    if (rival && isOlder(meetingOf(rival.part), meetingOf(event.part))) outdated.push(rival);
    latest.set(key, event);
  }
  return { latest: [...latest.values()], outdated };
}

function definitionOf(former: EventDefinition | undefined, parts: readonly ImportedPart[]): EventDefinition {
  const series = parts.findLast((part) => 'series' in part)?.series;
  const given = parts.flatMap((part) => ('override' in part ? [part.override] : []));
  const kept = series && former?.series ? [] : (former?.overrides ?? []);
  const overrides = new Map<string, Override>();
  for (const override of [...kept, ...given]) overrides.set(JSON.stringify(override.of), override);
  const whole = series ?? former?.series;
  return { ...(whole && { series: whole }), overrides: [...overrides.values()] };
}

/** Why an event cannot be stored, for people. */
function problemOf(definition: EventDefinition): string | undefined {
  if (definition.overrides.length > MOST_OVERRIDES) return TOO_MANY_OVERRIDES;
  const characters = meetingsOf(definition).reduce((sum, meeting) => sum + charactersOf(meeting), 0);
  return characters > MOST_CHARACTERS ? TOO_LARGE : undefined;
}

/** How long the text of a meeting is at most, about, without making it. */
function charactersOf(meeting: Meeting & Partial<Series>): number {
  const { attendees, zone, rules = [], included = [], excluded = [], lines = [] } = meeting;
  const changes = typeof zone === 'object' && zone ? zone.transitions.length : 0;
  const times = changes + included.length + excluded.length;
  const texts = [...lines, ...rules.map(({ text }) => text), ...attendees.map(({ email }) => email)];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return OF_MEETING + attendees.length * OF_ATTENDEE + times * OF_TIME + characters;
}

/** What people have answered holds on where the file says neither another answer nor other times nor a new sequence. */
function answeredPart(part: ImportedPart, known: ReadonlyMap<string, Meeting>): ImportedPart {
  const meeting = meetingOf(part);
  const before = known.get(keyOf(part));
  if (!before || isMoved(before, meeting) || sequenceOf(before) !== sequenceOf(meeting)) return part;
  return 'series' in part
    ? { series: withKnownResponses(part.series, before.attendees) }
    : { override: withKnownResponses(part.override, before.attendees) };
}

/** RFC 5546, 2.1.5: by SEQUENCE, where that is equal by DTSTAMP. Of what was not imported there is neither. */
function isOlder({ version }: Meeting, { version: other }: Meeting): boolean {
  if (!version || !other) return false;
  if (version.sequence !== other.sequence) return version.sequence < other.sequence;
  return version.stamp !== undefined && other.stamp !== undefined && version.stamp < other.stamp;
}

function sequenceOf({ version }: Meeting): number {
  return version?.sequence ?? 0;
}

function partsOf(definition: EventDefinition | undefined): ImportedPart[] {
  const { series, overrides = [] } = definition ?? {};
  return [...(series ? [{ series }] : []), ...overrides.map((override) => ({ override }))];
}

function meetingOf(part: ImportedPart): Meeting {
  return 'series' in part ? part.series : part.override;
}

/** Which part of its event something is: the series, or the instance that it differs from. */
function keyOf(part: ImportedPart): string {
  return 'series' in part ? 'series' : JSON.stringify(part.override.of);
}
