import type { CalendarOwner } from '../../src/areas/calendar/service.ts';
import type { Product } from '../../src/product.ts';
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
/** Single events are spread over so many days from 2024 on. */
const SPREAD_DAYS = 1_500;

/** A data directory whose owner has so many events, 300 of them series that began in the year `since`. */
export function loadedCalendar(events: number, since: number): Promise<string> {
  return mailboxDirectory(`calendar-${events}-${since}`, async (product, owner) => {
    const [calendar] = await product.database.read((tx) => product.calendar.listCalendars(tx, owner));
    if (!calendar) throw new Error('The owner has no calendar');
    for (let from = 0; from < events; from += AT_ONCE)
      await createSome(product, owner, calendar.id, { from, to: Math.min(events, from + AT_ONCE), since });
  });
}

function createSome(
  { database, calendar }: Product,
  owner: CalendarOwner,
  calendarId: string,
  { from, to, since }: { from: number; to: number; since: number },
): Promise<void> {
  return database.write(async (tx) => {
    for (let i = from; i < to; i++) await calendar.createEvent(tx, owner, calendarId, eventOf(i, since));
  });
}

function eventOf(i: number, since: number) {
  const random = new Random(i + 1);
  const isSeries = i < RECURRING;
  const firstDay = isSeries ? Date.UTC(since, 0, 3) : Date.UTC(2024, 0, 1);
  const day = firstDay + random.below(isSeries ? 28 : SPREAD_DAYS) * 24 * HOUR;
  const start = day + (8 * 4 + random.below(36)) * (HOUR / 4);
  return {
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(start + (1 + random.below(4)) * (HOUR / 4)).toISOString(),
    time_zone: 'Europe/Berlin',
    recurrence: isSeries ? [`RRULE:${RULES[i % RULES.length]}`] : [],
  };
}
