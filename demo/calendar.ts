import type { Cast } from './people.ts';

const DAY_MS = 86_400_000;

/** Creates calendars with single events, series across daylight-saving changes, all-day events, and booked rooms. */
export async function makeCalendars({ people, rooms: [room, projector] }: Cast): Promise<void> {
  const [owner, other, third] = people;
  if (!owner || !other || !third || !room || !projector) return;
  const { calendar } = owner.atrium;
  const [first] = await calendar.listCalendars();
  if (!first) return;
  const family = await calendar.createCalendar({ name: 'Family', color: '#2f7d5b' });
  await calendar.createEvent(first.id, {
    starts_at: `${day(1)}T09:00:00`,
    ends_at: `${day(1)}T09:30:00`,
    time_zone: 'Europe/Berlin',
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=60'],
    attendees: [other.user.email, third.user.email],
    resources: [room.id],
  });
  const review = await calendar.createEvent(first.id, {
    starts_at: `${day(2)}T13:00:00Z`,
    ends_at: `${day(2)}T14:30:00Z`,
    attendees: people.map(({ user }) => user.email),
    resources: [projector.id],
  });
  await other.atrium.calendar.respondToEvent(review.id, { response: 'accepted' });
  await third.atrium.calendar.respondToEvent(review.id, { response: 'declined' });
  await calendar.createEvent(family.id, { all_day: true, starts_at: day(5), ends_at: day(8) });
  await calendar.createEvent(family.id, {
    all_day: true,
    starts_at: day(10),
    ends_at: day(11),
    recurrence: ['RRULE:FREQ=YEARLY'],
    transparency: 'free',
  });
}

function day(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
