import type { Attendee, Meeting, Series } from './definition.ts';
import { addressKey } from './holders.ts';

/** A meeting alone, or the first of a series with what says where the others are. */
type Timed = Meeting & Partial<Pick<Series, 'rules' | 'included' | 'excluded'>>;

/** Whether a meeting is at other times than before: by its start, its length, its clock or its recurrence. */
export function isMoved(before: Timed, after: Timed): boolean {
  return timesOf(before) !== timesOf(after);
}

/** A meeting to which nobody has answered yet: what people said of its former times says nothing of the new ones. */
export function withoutResponses<M extends Meeting>(meeting: M): M {
  return {
    ...meeting,
    attendees: meeting.attendees.map(({ email }): Attendee => ({ email, response: 'needs_action' })),
  };
}

/** A meeting with the responses that are known, where it brings none of its own. */
export function withKnownResponses<M extends Meeting>(meeting: M, known: readonly Attendee[]): M {
  const responses = new Map(known.map(({ email, response }) => [addressKey(email), response]));
  const attendees = meeting.attendees.map(({ email, response }): Attendee => {
    const former = response === 'needs_action' ? responses.get(addressKey(email)) : undefined;
    return { email, response: former ?? response };
  });
  return { ...meeting, attendees };
}

function timesOf({ start, exact, days, seconds, zone, allDay, ...parts }: Timed): string {
  const { rules = [], included = [], excluded = [] } = parts;
  return JSON.stringify([start, exact ?? null, days, seconds, zone, allDay, rules, included, excluded]);
}
