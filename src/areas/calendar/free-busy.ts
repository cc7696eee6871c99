import { JsonText } from '../../api/answers.ts';
import type { Problem } from '../../api/operation.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { type FreeBusyQuestion, MAX_ASKED } from './availability-schema.ts';
import type { CalendarOwner } from './owner.ts';
import { type AvailabilityParts, availability, type KnownParticipant } from './participants.ts';
import { windowOf, windowProblems } from './windows.ts';

/** When people and resources are busy; never with what. */
export async function freeBusy(
  tx: ReadTransaction,
  parts: AvailabilityParts,
  caller: CalendarOwner,
  question: FreeBusyQuestion,
): Promise<JsonText> {
  const { attendees = [], resources = [] } = question;
  const found = await availability(tx, parts, caller, { attendees, resources }, windowOf(question));
  const attendeesJson = found.attendees.values().map((one) => participantJson('email', one));
  const resourcesJson = found.resources.values().map((one) => participantJson('id', one));
  return new JsonText(
    `{"attendees":[${[...attendeesJson].join(',')}],"resources":[${[...resourcesJson].join(',')}],` +
      `"unknown_attendees":${JSON.stringify(found.unknownAttendees)},` +
      `"unknown_resources":${JSON.stringify(found.unknownResources)}}`,
  );
}

function participantJson(member: 'email' | 'id', { name, busy }: KnownParticipant): string {
  return `{"${member}":${JSON.stringify(name)},"busy":[${busy.map(({ json }) => json).join(',')}]}`;
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
