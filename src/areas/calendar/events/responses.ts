import type { Attendee, EventDefinition, Meeting, Series } from './definition.ts';
import { addressKey } from './holders.ts';

/** A meeting; for a series with its recurrence. */
type Timed = Meeting & Partial<Pick<Series, 'rules' | 'included' | 'excluded' | 'excludingRules'>>;

/** Whether the times of a meeting have changed: its start, length, clock or recurrence. */
export function isMoved(before: Timed, after: Timed): boolean {
  return timesOf(before) !== timesOf(after);
}

/** RFC 5546, section 2.1.4: whether a change is one that attendees have to be told of by a higher SEQUENCE. */
export function isRevised(before: EventDefinition, after: EventDefinition): boolean {
  return revisedOf(before) !== revisedOf(after);
}

function revisedOf({ series, overrides }: EventDefinition): string {
  const meetings = series ? [series, ...overrides] : overrides;
  return meetings.map((meeting) => `${meeting.status} ${timesOf(meeting)}`).join('\n');
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
  const answers = new Map(known.map(({ email, ...answer }) => [addressKey(email), answer]));
  const attendees = meeting.attendees.map((one): Attendee => {
    const former = one.response === 'needs_action' ? answers.get(addressKey(one.email)) : undefined;
    const { response, repliedAt } = former ?? one;
    return { email: one.email, response, ...(repliedAt !== undefined && { repliedAt }) };
  });
  return { ...meeting, attendees };
}

function timesOf({ start, exact, days, seconds, zone, allDay, ...times }: Timed): string {
  const { rules = [], included = [], excluded = [], excludingRules = [] } = times;
  const recurrence = [rules, included, excluded, excludingRules];
  return JSON.stringify([start, exact ?? null, days, seconds, zone, allDay, ...recurrence]);
}
