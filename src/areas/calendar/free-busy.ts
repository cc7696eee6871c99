import type { Problem } from '../../api/operation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type FreeBusy, type FreeBusyQuestion, MAX_ASKED } from './availability-schema.ts';
import type { Interval } from './intervals.ts';
import type { CalendarOwner } from './owner.ts';
import { type AvailabilityParts, availability } from './participants.ts';
import { windowOf, windowProblems } from './windows.ts';

/** When people and resources are busy; never with what. */
export async function freeBusy(
  tx: ReadTransaction,
  parts: AvailabilityParts,
  caller: CalendarOwner,
  question: FreeBusyQuestion,
): Promise<FreeBusy> {
  const { attendees = [], resources = [] } = question;
  const found = await availability(tx, parts, caller, { attendees, resources }, windowOf(question));
  return {
    attendees: [...found.attendees.values()].map(({ name, busy }) => ({
      email: name,
      busy: busy.map(busyRecord),
    })),
    resources: [...found.resources.values()].map(({ name, busy }) => ({
      id: name,
      busy: busy.map(busyRecord),
    })),
    unknown_attendees: found.unknownAttendees,
    unknown_resources: found.unknownResources,
  };
}

/** What the schema cannot say of a question. */
export function freeBusyProblems(question: Partial<FreeBusyQuestion>): Problem[] {
  const { attendees = [], resources = [] } = question;
  const problems = windowProblems(question, (name) => ({ pointer: `/${name}` }));
  return [...askedProblems(attendees.length + resources.length), ...problems];
}

/** What is wrong with asking for so many people and resources together. */
export function tooManyProblems(asked: number): Problem[] {
  if (asked <= MAX_ASKED) return [];
  const message = `Ask for at most ${MAX_ASKED} attendees and resources together.`;
  return [{ pointer: '', code: 'too_many', message }];
}

function askedProblems(asked: number): Problem[] {
  if (asked > 0) return tooManyProblems(asked);
  return [{ pointer: '/attendees', code: 'required', message: 'Give attendees, resources or both.' }];
}

function busyRecord({ start, end }: Interval) {
  return { starts_at: new Date(start).toISOString(), ends_at: new Date(end).toISOString() };
}
