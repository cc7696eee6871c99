import type { ImportedComponent } from '../transfer/imported-component.ts';
import { type EventDefinition, type Meeting, meetingsOf, type Override, type Series } from './definition.ts';
import type { CalendarImportReport } from './event-schema.ts';
import type { ImportedEvent } from './receive-events.ts';
import { isMoved, withKnownResponses } from './responses.ts';

/** Limit for the overrides of one event. */
const MOST_OVERRIDES = 10_000;

/** Approximate limit for the characters of one event with all of its instances: it is written, read and compared as a whole. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Estimated size of each item, in addition to its texts. */
const OF_MEETING = 250;
const OF_ATTENDEE = 45;
const OF_TIME = 40;

const OUTDATED = 'A later version of it is there already, by its SEQUENCE or DTSTAMP.';
const TOO_MANY_OVERRIDES = `The event has over ${MOST_OVERRIDES} instances that differ from its series.`;
const TOO_LARGE = 'The event and its instances list too many people and times.';

/** The event merged from its components, and the components that were skipped or shortened. */
export interface MergedEvent {
  /** Undefined if every component is outdated or the event would be too large. */
  definition: EventDefinition | undefined;
  skipped: CalendarImportReport['skipped'];
}

/**
 * Merges the components of one event with the stored event. A new series replaces the stored series and its overrides;
 * overrides without a series stay. A single override changes the stored series, or stands alone. A component that is
 * older than the stored one, or than another one of the file, is skipped; with an outdated series also the overrides
 * that are not stored yet.
 */
export function mergedEvent(
  former: EventDefinition | undefined,
  events: readonly ImportedEvent[],
): MergedEvent {
  const known = new Map(componentsOf(former).map((component) => [keyOf(component), meetingOf(component)]));
  const { latest, outdated } = latestOf(events);
  const isOutdated = ({ component }: ImportedEvent) => {
    const rival = known.get(keyOf(component));
    return rival !== undefined && isOlder(meetingOf(component), rival);
  };
  const series = latest.find(({ component }) => 'series' in component);
  const isOldFile = series !== undefined && isOutdated(series);
  const isLeftOut = (event: ImportedEvent) =>
    isOutdated(event) || (isOldFile && !known.has(keyOf(event.component)));
  const taken = latest.filter((event) => !isLeftOut(event));
  const components = taken.map(({ component }) => withKeptResponses(component, known));
  const skipped = skippedFor(OUTDATED, [...outdated, ...latest.filter(isLeftOut)]);
  const cut = taken.flatMap(({ index, line, leftOut }) =>
    leftOut === undefined ? [] : [{ index, line, reason: leftOut }],
  );
  if (components.length === 0) return { definition: undefined, skipped };
  const definition = definitionOf(former, components);
  const problem = problemOf(definition);
  if (problem !== undefined)
    return { definition: undefined, skipped: [...skipped, ...skippedFor(problem, taken)] };
  return { definition, skipped: [...skipped, ...cut] };
}

function skippedFor(reason: string, events: readonly ImportedEvent[]): MergedEvent['skipped'] {
  return events.map(({ index, line }) => ({ index, line, reason }));
}

/** The latest component for each key (of equal versions, the last one), and the outdated components. */
function latestOf(events: readonly ImportedEvent[]): { latest: ImportedEvent[]; outdated: ImportedEvent[] } {
  const latest = new Map<string, ImportedEvent>();
  const outdated: ImportedEvent[] = [];
  for (const event of events) {
    const key = keyOf(event.component);
    const rival = latest.get(key);
    if (rival && isOlder(meetingOf(event.component), meetingOf(rival.component))) {
      outdated.push(event);
      continue;
    }
    if (rival && isOlder(meetingOf(rival.component), meetingOf(event.component))) outdated.push(rival);
    latest.set(key, event);
  }
  return { latest: [...latest.values()], outdated };
}

function definitionOf(
  former: EventDefinition | undefined,
  components: readonly ImportedComponent[],
): EventDefinition {
  const series = components.findLast((component) => 'series' in component)?.series;
  const given = components.flatMap((component) => ('override' in component ? [component.override] : []));
  const keptOverrides = series && former?.series ? [] : (former?.overrides ?? []);
  const overrides = new Map<string, Override>();
  for (const override of [...keptOverrides, ...given]) overrides.set(JSON.stringify(override.of), override);
  const whole = series ?? former?.series;
  return { ...(whole && { series: whole }), overrides: [...overrides.values()] };
}

/** The reason why an event cannot be stored, as text for people. */
function problemOf(definition: EventDefinition): string | undefined {
  if (definition.overrides.length > MOST_OVERRIDES) return TOO_MANY_OVERRIDES;
  const characters = meetingsOf(definition).reduce((sum, meeting) => sum + charactersOf(meeting), 0);
  return characters > MOST_CHARACTERS ? TOO_LARGE : undefined;
}

/** Approximate upper bound for the length of the serialized meeting, without serializing it. */
function charactersOf(meeting: Meeting & Partial<Series>): number {
  const { attendees, zone, rules = [], included = [], excluded = [], lines = [] } = meeting;
  const { excludingRules = [] } = meeting;
  const changes = typeof zone === 'object' && zone ? zone.transitions.length : 0;
  const times = changes + included.length + excluded.length;
  const texts = [...lines, ...[...rules, ...excludingRules].map(({ text }) => text)];
  for (const { email } of attendees) texts.push(email);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return OF_MEETING + attendees.length * OF_ATTENDEE + times * OF_TIME + characters;
}

/** Keeps the stored responses if the file contains no response, the times are the same and the SEQUENCE is the same. */
function withKeptResponses(
  component: ImportedComponent,
  known: ReadonlyMap<string, Meeting>,
): ImportedComponent {
  const meeting = meetingOf(component);
  const before = known.get(keyOf(component));
  if (!before || isMoved(before, meeting) || sequenceOf(before) !== sequenceOf(meeting)) return component;
  return 'series' in component
    ? { series: withKnownResponses(component.series, before.attendees) }
    : { override: withKnownResponses(component.override, before.attendees) };
}

/** RFC 5546, section 2.1.5: compares SEQUENCE, then DTSTAMP. Meetings that were not imported have neither. */
function isOlder({ version }: Meeting, { version: other }: Meeting): boolean {
  if (!version || !other) return false;
  if (version.sequence !== other.sequence) return version.sequence < other.sequence;
  return version.stamp !== undefined && other.stamp !== undefined && version.stamp < other.stamp;
}

function sequenceOf({ version }: Meeting): number {
  return version?.sequence ?? 0;
}

function componentsOf(definition: EventDefinition | undefined): ImportedComponent[] {
  const { series, overrides = [] } = definition ?? {};
  return [...(series ? [{ series }] : []), ...overrides.map((override) => ({ override }))];
}

function meetingOf(component: ImportedComponent): Meeting {
  return 'series' in component ? component.series : component.override;
}

/** Identifies a component within its event: the series, or the instance that it overrides. */
function keyOf(component: ImportedComponent): string {
  return 'series' in component ? 'series' : JSON.stringify(component.override.of);
}
