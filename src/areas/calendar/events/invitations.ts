import { type CursorPosition, type Page, type PageRequest, pageOf } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { type WindowWork, windowTooLarge } from '../availability/window-work.ts';
import { type CalendarDependencies, personOf } from '../dependencies.ts';
import type { CalendarOwner } from '../owner.ts';
import type { Interval } from '../recurrence/intervals.ts';
import type { Occurrence } from '../recurrence/occurrences.ts';
import type { AttendeeResponse, EventDefinition, Meeting } from './definition.ts';
import { type ListedMeeting, meetingFields, rowFields } from './event-record.ts';
import type { Invitation } from './event-schema.ts';
import { type EventRow, findEvents } from './event-store.ts';
import { isOneOf, type Person } from './holders.ts';
import { type InvitedEvent, listInvitedEvents } from './invitation-store.ts';
import { definitionOf } from './save-events.ts';

/** What is asked: who is invited, and when an instance takes place. */
interface InvitationQuestion {
  workspaceId: string;
  person: Person;
  window: Interval;
}

const BEFORE_ALL: InvitedEvent = { startsAt: -(2 ** 53), eventId: '' };

/**
 * The events of others that list the caller and of which an instance that does lies in a window, in order of the start of
 * their first meeting, outside of any transaction. Rejects with ApiError validation_failed if it takes too long.
 */
export function listInvitations(
  dependencies: CalendarDependencies,
  caller: CalendarOwner,
  window: Interval,
  page: PageRequest,
): Promise<Page<Invitation>> {
  const { workspaceId } = caller;
  return dependencies.questions.answer({
    read: async (tx, work) => {
      const person = await personOf(tx, dependencies, caller);
      return pageOfInvitations({ tx, work }, { workspaceId, person, window }, page);
    },
    answer: (found) => found,
    problem: windowTooLarge({ parameter: 'end' }),
  });
}

async function pageOfInvitations(
  { tx, work }: { tx: ReadTransaction; work: WindowWork },
  question: InvitationQuestion,
  { limit, after }: PageRequest,
): Promise<Page<Invitation>> {
  const { workspaceId, person, window } = question;
  const found: { position: InvitedEvent; invitation: Invitation }[] = [];
  let last = after ? invitedEventAt(after) : BEFORE_ALL;
  for (let mayFollow = true; mayFollow && found.length < limit; ) {
    const next = await listInvitedEvents(tx, { workspaceId, person, window, after: last, limit });
    const invitations = await invitationsAmong({ tx, work }, question, next);
    for (const position of next) {
      const invitation = invitations.get(position.eventId);
      if (invitation) found.push({ position, invitation });
    }
    last = next.at(-1) ?? last;
    mayFollow = next.length === limit;
  }
  return pageOf(
    found.slice(0, limit),
    ({ invitation }) => invitation,
    ({ position }) => [position.startsAt, position.eventId],
  );
}

function invitedEventAt(cursor: CursorPosition): InvitedEvent {
  const [startsAt, eventId] = cursor as [number, string];
  return { startsAt, eventId };
}

/** The invitations to those events that have an instance in the window, by event. */
async function invitationsAmong(
  { tx, work }: { tx: ReadTransaction; work: WindowWork },
  { workspaceId, person, window }: InvitationQuestion,
  events: readonly InvitedEvent[],
): Promise<Map<string, Invitation>> {
  const invitations = new Map<string, Invitation>();
  const ids = events.map(({ eventId }) => eventId);
  for await (const row of findEvents(tx, workspaceId, ids)) {
    const definition = definitionOf(row);
    const isInstance = instancesListing(person);
    if (!(await work.hasOccurrence(definition, row.time_zone, window, isInstance))) continue;
    const meeting = firstListing(definition, person);
    if (meeting) invitations.set(row.id, invitationRecord(row, meeting, person));
  }
  return invitations;
}

/** Whether an occurrence is an instance that lists a person; the result for a meeting is the same at each of them. */
function instancesListing(person: Person): (occurrence: Occurrence) => boolean {
  const results = new Map<Meeting, boolean>();
  return ({ meeting }) => {
    const isCancelledInstance = meeting.status === 'cancelled' && 'of' in meeting;
    const result = results.get(meeting) ?? (!isCancelledInstance && lists(meeting, person));
    results.set(meeting, result);
    return result;
  };
}

/** The series, or of those meetings that differ the first that lists the person: nobody is told of the others. */
function firstListing({ series, overrides }: EventDefinition, person: Person): ListedMeeting | undefined {
  if (series && lists(series, person)) return series;
  const [first] = overrides
    .filter((override) => override.status !== 'cancelled' && lists(override, person))
    .sort((a, b) => a.start - b.start);
  return first && { ...first, lines: [] };
}

function lists({ attendees }: Meeting, { addresses }: Person): boolean {
  return attendees.some((attendee) => isOneOf(attendee, addresses));
}

function invitationRecord(row: EventRow, meeting: ListedMeeting, person: Person): Invitation {
  const { resources, created_at, updated_at } = rowFields(row);
  return {
    ...meetingFields(row, meeting),
    owner_id: row.user_id,
    response: responseOf(meeting, person),
    resources,
    created_at,
    updated_at,
  };
}

/** As for busy times, a person who is listed by several addresses has declined when all of them have. */
function responseOf({ attendees }: Meeting, { addresses }: Person): AttendeeResponse {
  const responses = attendees.filter((one) => isOneOf(one, addresses)).map(({ response }) => response);
  if (responses.every((response) => response === 'declined')) return 'declined';
  return responses.find((response) => response === 'accepted' || response === 'tentative') ?? 'needs_action';
}
