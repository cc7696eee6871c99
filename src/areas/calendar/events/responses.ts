import type { Attendee, Meeting, Series } from './definition.ts';
import { addressKey } from './holders.ts';

/** A meeting; for a series with its recurrence. */
type Timed = Meeting & Partial<Pick<Series, 'rules' | 'included' | 'excluded'>>;

/** Whether the times of a meeting have changed: its start, length, clock or recurrence. */
export function isMoved(before: Timed, after: Timed): boolean {
  return timesOf(before) !== timesOf(after);
}

/** The meeting without responses: responses to the old times do not apply to new ones. */
export function withoutResponses<M extends Meeting>(meeting: M): M {
  return {
    ...meeting,
    attendees: meeting.attendees.map(({ email }): Attendee => ({ email, response: 'needs_action' })),
  };
}

/** The meeting with the known responses of attendees who have no response in it. */
export function withKnownResponses<M extends Meeting>(meeting: M, known: readonly Attendee[]): M {
  const responses = new Map(known.map(({ email, response }) => [addressKey(email), response]));
  const attendees = meeting.attendees.map(({ email, response }): Attendee => {
    const former = response === 'needs_action' ? responses.get(addressKey(email)) : undefined;
    return { email, response: former ?? response };
  });
  return { ...meeting, attendees };
}

function timesOf({ start, exact, days, seconds, zone, allDay, ...times }: Timed): string {
  const { rules = [], included = [], excluded = [] } = times;
  return JSON.stringify([start, exact ?? null, days, seconds, zone, allDay, rules, included, excluded]);
}
