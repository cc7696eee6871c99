import { giveWay, isTurnOver, nextTurn } from '../../turns/next-turn.ts';
import { LineReader, longestLine, type Property, propertyName, readProperty } from '../content-lines.ts';
import { MAX_COMPONENT, MAX_OBSERVANCES, type ReadComponent, type ZoneComponent } from './values.ts';

/**
 * Yields the components of a file as they end. Reads only the properties in the list of each component type; the
 * description of an event is dropped with its line. A file with lines but no component yields one unreadable
 * component.
 */
export async function* readCalendar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadComponent> {
  const lines = new LineReader();
  const reader = new CalendarReader();
  for await (const bytes of chunks) {
    // Blank and continued lines end no line, so the loop below may look at the clock seldom.
    await giveWay();
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
    const [, mark, name = ''] =
      /^(BEGIN|END)[ \t]*:[ \t]*([A-Za-z0-9-]+)[ \t]*$/i.exec(withoutByteOrderMark(line)) ?? [];
    if (mark?.toUpperCase() === 'BEGIN') yield* this.#begin(name.toUpperCase(), number);
    else if (mark) yield* this.#endOf(name.toUpperCase());
    else if (this.#component) takeLine(this.#component, line);
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
      if (this.#component.depth === 1) beginObservance(this.#component, name);
    }
  }

  *#endOf(name: string): Generator<ReadComponent> {
    if (name === 'VCALENDAR') yield* this.#abandon();
    else if (name === this.#component?.name) yield* this.#finish(this.#component.problem);
    else if (this.#component && this.#component.depth > 0) {
      this.#component.depth--;
      if (this.#component.depth === 0) this.#component.observance = undefined;
    }
  }

  /** Ends a component without an END line. */
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

/** Removes a byte-order mark before the first line. */
function withoutByteOrderMark(line: string): string {
  return line.startsWith('\u00ef\u00bb\u00bf') ? line.slice(3) : line;
}

/** Within a time zone, STANDARD and DAYLIGHT are read; within an event, alarms are skipped. */
function beginObservance(component: OpenComponent, name: string): void {
  const isObservance = name === 'STANDARD' || name === 'DAYLIGHT';
  if (component.name !== 'VTIMEZONE' || !isObservance) return;
  component.observance = [];
  if (component.observances.length < MAX_OBSERVANCES) component.observances.push(component.observance);
}

function takeLine(component: OpenComponent, line: string): void {
  const target = component.depth === 0 ? component.properties : component.observance;
  const name = propertyName(line);
  if (!target || name === undefined || !component.needed.has(name) || component.problem !== undefined) return;
  component.bytes += line.length;
  const most = longestLine(line);
  if (line.length > most) component.problem = `Its ${name} has more than ${most} bytes.`;
  else if (component.bytes > MAX_COMPONENT)
    component.problem = `It has more than ${MAX_COMPONENT} bytes of times and attendees.`;
  else addProperty(component, target, line);
}

function addProperty(component: OpenComponent, target: OpenComponent['properties'], line: string): void {
  const property = readProperty(line);
  if (!property) return;
  if (component.name === 'VTIMEZONE' && property.name === 'TZID')
    component.zoneName = plainText(property.value).trim();
  else target.push(property);
}

/** RFC 5545 3.3.11: the TZID property escapes its text; a TZID parameter does not. */
function plainText(text: string): string {
  return text.replace(/\\([\\,;])/g, '$1');
}

/** All properties read of an event; the others describe the event or are not needed. */
const EVENT_PROPERTIES = new Set([
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
const ZONE_PROPERTIES = new Set(['TZID', 'DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO']);
const NO_PROPERTIES: ReadonlySet<string> = new Set();

/**
 * The other component names of RFC 5545 and RFC 7953. An unknown name could be private data, so no message repeats
 * it.
 */
const KNOWN_COMPONENTS = ['VTODO', 'VJOURNAL', 'VFREEBUSY', 'VAVAILABILITY', 'VALARM'];

/** A component whose END line has not arrived. */
interface OpenComponent {
  name: string;
  line: number;
  needed: ReadonlySet<string>;
  properties: Property[];
  observances: Property[][];
  /** The current STANDARD or DAYLIGHT of a time zone. */
  observance: Property[] | undefined;
  zoneName: string | undefined;
  /** The number of open components within this one. */
  depth: number;
  bytes: number;
  problem: string | undefined;
}

function openComponent(name: string, line: number): OpenComponent {
  return {
    name,
    line,
    needed: neededProperties(name),
    properties: [],
    observances: [],
    observance: undefined,
    zoneName: undefined,
    depth: 0,
    bytes: 0,
    problem: problemOf(name),
  };
}

function neededProperties(name: string): ReadonlySet<string> {
  if (name === 'VEVENT') return EVENT_PROPERTIES;
  return name === 'VTIMEZONE' ? ZONE_PROPERTIES : NO_PROPERTIES;
}

function problemOf(name: string): string | undefined {
  if (name === 'VEVENT' || name === 'VTIMEZONE') return undefined;
  return KNOWN_COMPONENTS.includes(name) ? `It is a ${name}, not an event.` : 'It is not an event.';
}
