import type { Property } from '../content-lines/property.ts';

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
export interface OpenComponent {
  name: string;
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

export function openComponent(name: string): OpenComponent {
  return {
    name,
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
