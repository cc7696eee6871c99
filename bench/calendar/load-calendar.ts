import type { CalendarOwner } from '../../src/areas/calendar/service.ts';
import type { Services } from '../../src/start/composition.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';
import { Random } from '../mail/random.ts';

const RECURRING = 300;
const RULES = [
  'FREQ=WEEKLY',
  'FREQ=WEEKLY;INTERVAL=2',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=YEARLY',
  'FREQ=WEEKLY;BYDAY=MO,TH',
];
const AT_ONCE = 100;
const HOUR = 3_600_000;
/** So many events are of these years, in which questions are asked; more are of years before. */
const OF_THESE_YEARS = 1_000;
/** Single events are spread over so many days. */
const SPREAD_DAYS = 1_500;

/** Whose calendars are loaded: as many users, of which the first is the owner. */
export interface Loaded {
  people: number;
  events: number;
  /** The month in which 300 of the events began to recur, such as 2005-01. */
  since: string;
}

/** The address of one of the people, from 0. */
export function addressOf(person: number): string {
  return person === 0 ? 'owner@localhost' : `person${person}@localhost`;
}

/** A data directory whose users have so many events each. */
export function loadedCalendar({ people, events, since }: Loaded): Promise<string> {
  return mailboxDirectory(`calendar-${people}-${events}-${since}`, async (services, owner) => {
    await load(services, owner, { seed: 0, events, since });
    for (let person = 1; person < people; person++) {
      const user = await services.database.write((tx) =>
        services.directory.createUser(tx, owner.workspaceId, { email: addressOf(person), name: 'Person' }),
      );
      const { workspaceId } = owner;
      await load(services, { workspaceId, userId: user.id }, { seed: person * events, events, since });
    }
  });
}

interface Portion {
  seed: number;
  events: number;
  since: string;
}

async function load(
  services: Services,
  owner: CalendarOwner,
  { events, ...portion }: Portion,
): Promise<void> {
  const [calendar] = await services.database.read((tx) => services.calendar.listCalendars(tx, owner));
  if (!calendar) throw new Error('The user has no calendar');
  for (let from = 0; from < events; from += AT_ONCE)
    await createSome(services, owner, calendar.id, {
      ...portion,
      from,
      to: Math.min(events, from + AT_ONCE),
    });
}

function createSome(
  { database, calendar }: Services,
  owner: CalendarOwner,
  calendarId: string,
  { seed, from, to, since }: { seed: number; from: number; to: number; since: string },
): Promise<void> {
  return database.write(async (tx) => {
    for (let i = from; i < to; i++)
      await calendar.createEvent(tx, owner, calendarId, eventOf(i, seed, since));
  });
}

function eventOf(i: number, seed: number, since: string) {
  const random = new Random(seed + i + 1);
  const isSeries = i < RECURRING;
  const firstDay = isSeries ? Date.parse(`${since}-01`) : Date.UTC(i < OF_THESE_YEARS ? 2024 : 2010, 0, 1);
  const day = firstDay + random.below(isSeries ? 28 : SPREAD_DAYS) * 24 * HOUR;
  const start = day + (8 * 4 + random.below(36)) * (HOUR / 4);
  return {
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(start + (1 + random.below(4)) * (HOUR / 4)).toISOString(),
    time_zone: 'Europe/Berlin',
    recurrence: isSeries ? [`RRULE:${RULES[i % RULES.length]}`] : [],
  };
}
