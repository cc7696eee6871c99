import { isTurnOver, nextTurn } from '../../turns/next-turn.ts';
import { LineReader } from '../content-lines/lines.ts';
import { longestLine, type Property, propertyName, readProperty } from '../content-lines/property.ts';
import type { ReadComponent, ZoneComponent } from './component.ts';
import { MAX_COMPONENT, MAX_OBSERVANCES } from './limits.ts';

/**
 * The components of a file as they end. Only the properties that NEEDED names are ever looked at: what an event is about
 * is dropped with its line. A file that has lines and no component is one component that cannot be read.
 */
export async function* readCalendar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadComponent> {
  const lines = new LineReader();
  const reader = new CalendarReader();
  for await (const bytes of chunks) {
    for (const line of lines.read(bytes)) {
      if (isTurnOver()) await nextTurn();
      yield* reader.read(line, lines.lineNumber);
    }
  }
  for (const line of lines.end()) yield* reader.read(line, lines.lineNumber);
  yield* reader.end();
}

const NO_CALENDAR = 'This is no iCalendar: nothing begins with BEGIN:VCALENDAR.';
const NO_COMPONENT = 'The calendar holds no events.';

class CalendarReader {
  #index = 0;
  #sawCalendar = false;
  #sawLines = false;
  #zones = new Map<string, ZoneComponent>();
  #component: OpenComponent | undefined;

  *read(line: string, number: number): Generator<ReadComponent> {
    this.#sawLines = true;
    const [, mark, name = ''] = /^(BEGIN|END)[ \t]*:[ \t]*([A-Za-z0-9-]+)[ \t]*$/i.exec(stripped(line)) ?? [];
    if (mark?.toUpperCase() === 'BEGIN') yield* this.#begin(name.toUpperCase(), number);
    else if (mark) yield* this.#endOf(name.toUpperCase());
    else if (this.#component) take(this.#component, line);
  }

  *end(): Generator<ReadComponent> {
    yield* this.#abandon();
    if (this.#index > 0 || !this.#sawLines) return;
    yield { index: 0, line: 1, problem: this.#sawCalendar ? NO_COMPONENT : NO_CALENDAR };
  }

  *#begin(name: string, line: number): Generator<ReadComponent> {
    if (name === 'VCALENDAR') {
      yield* this.#abandon();
      this.#sawCalendar = true;
      this.#zones = new Map();
    } else if (!this.#component || name === this.#component.name) {
      yield* this.#abandon();
      this.#component = openComponent(name, line);
    } else {
      this.#component.depth++;
      if (this.#component.depth === 1) beginPart(this.#component, name);
    }
  }

  *#endOf(name: string): Generator<ReadComponent> {
    if (name === 'VCALENDAR') yield* this.#abandon();
    else if (name === this.#component?.name) yield* this.#finish(this.#component.problem);
    else if (this.#component && this.#component.depth > 0) {
      this.#component.depth--;
      if (this.#component.depth === 0) this.#component.part = undefined;
    }
  }

  /** What has not ended by now never will. */
  *#abandon(): Generator<ReadComponent> {
    if (this.#component)
      yield* this.#finish(this.#component.problem ?? `It has no END:${this.#component.name}.`);
  }

  *#finish(problem: string | undefined): Generator<ReadComponent> {
    const component = this.#component;
    this.#component = undefined;
    if (component?.name === 'VTIMEZONE') {
      if (component.zoneName !== undefined) this.#zones.set(component.zoneName, component);
    } else if (component) {
      const index = this.#index++;
      const { line } = component;
      if (problem !== undefined) yield { index, line, problem };
      else yield { index, line, event: { properties: component.properties, zones: this.#zones } };
    }
  }
}

/** A byte-order mark before the first line is no part of it. */
function stripped(line: string): string {
  return line.startsWith('\u00ef\u00bb\u00bf') ? line.slice(3) : line;
}

/** Within a time zone, STANDARD and DAYLIGHT are parts; within an event, alarms are passed over. */
function beginPart(component: OpenComponent, name: string): void {
  const isObservance = name === 'STANDARD' || name === 'DAYLIGHT';
  if (component.name !== 'VTIMEZONE' || !isObservance) return;
  component.part = [];
  if (component.observances.length < MAX_OBSERVANCES) component.observances.push(component.part);
}

function take(component: OpenComponent, line: string): void {
  const target = component.depth === 0 ? component.properties : component.part;
  const name = propertyName(line);
  if (!target || name === undefined || !component.needed.has(name) || component.problem !== undefined) return;
  component.bytes += line.length;
  const most = longestLine(line);
  if (line.length > most) component.problem = `Its ${name} has more than ${most} bytes.`;
  else if (component.bytes > MAX_COMPONENT)
    component.problem = `It has more than ${MAX_COMPONENT} bytes of times and attendees.`;
  else keep(component, target, line);
}

function keep(component: OpenComponent, target: OpenComponent['properties'], line: string): void {
  const property = readProperty(line);
  if (!property) return;
  if (component.name === 'VTIMEZONE' && property.name === 'TZID')
    component.zoneName = plainText(property.value).trim();
  else target.push(property);
}

/** RFC 5545, 3.3.11: what is escaped in the text of a TZID is not where a parameter names it. */
function plainText(text: string): string {
  return text.replace(/\\([\\,;])/g, '$1');
}

/** Everything that is ever read of an event; all other properties say what it is about, or nothing that is needed. */
const OF_EVENTS = new Set([
  'UID',
  'SEQUENCE',
  'DTSTAMP',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'EXRULE',
  'RDATE',
  'EXDATE',
  'RECURRENCE-ID',
  'TRANSP',
  'STATUS',
  'ATTENDEE',
  'ORGANIZER',
]);
const OF_ZONES = new Set(['TZID', 'DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO']);
const NOTHING: ReadonlySet<string> = new Set();

/** What else RFC 5545 and 7953 know; a name of another kind might tell something. */
const KNOWN = ['VTODO', 'VJOURNAL', 'VFREEBUSY', 'VAVAILABILITY', 'VALARM'];

/** A component of which more is to come. */
interface OpenComponent {
  name: string;
  line: number;
  needed: ReadonlySet<string>;
  properties: Property[];
  observances: Property[][];
  /** The part of a time zone that is open. */
  part: Property[] | undefined;
  zoneName: string | undefined;
  /** How many components within it are open. */
  depth: number;
  bytes: number;
  problem: string | undefined;
}

function openComponent(name: string, line: number): OpenComponent {
  return {
    name,
    line,
    needed: neededOf(name),
    properties: [],
    observances: [],
    part: undefined,
    zoneName: undefined,
    depth: 0,
    bytes: 0,
    problem: problemOf(name),
  };
}

function neededOf(name: string): ReadonlySet<string> {
  if (name === 'VEVENT') return OF_EVENTS;
  return name === 'VTIMEZONE' ? OF_ZONES : NOTHING;
}

function problemOf(name: string): string | undefined {
  if (name === 'VEVENT' || name === 'VTIMEZONE') return undefined;
  return KNOWN.includes(name) ? `It is a ${name}, not an event.` : 'It is not an event.';
}
