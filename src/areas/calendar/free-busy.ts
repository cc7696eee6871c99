import { JsonText } from '../../api/answers.ts';
import type { Problem } from '../../api/operation.ts';
import { requireValues } from '../../api/required-values.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { Turns } from '../../turns/turns.ts';
import { FreeBusyQuestion, MAX_ASKED } from './availability-schema.ts';
import type { CalendarOwner } from './owner.ts';
import { type AvailabilityParts, availability, type KnownParticipant } from './participants.ts';
import { windowOf, windowProblems } from './windows.ts';

/** Times that are written in one turn. */
const TIMES_A_TURN = 1_000;

/** When people and resources are busy; never with what. Rejects with ApiError validation_failed where that takes too long. */
export async function freeBusy(
  tx: ReadTransaction,
  parts: AvailabilityParts,
  caller: CalendarOwner,
  question: FreeBusyQuestion,
): Promise<JsonText> {
  requireValues(FreeBusyQuestion, question);
  const { attendees = [], resources = [] } = question;
  const found = await availability(tx, parts, caller, { attendees, resources }, windowOf(question));
  const turns = new Turns();
  const attendeesJson = await participantsJson('email', found.attendees, turns);
  const resourcesJson = await participantsJson('id', found.resources, turns);
  return new JsonText(
    `{"attendees":[${attendeesJson}],"resources":[${resourcesJson}],` +
      `"unknown_attendees":${JSON.stringify(found.unknownAttendees)},` +
      `"unknown_resources":${JSON.stringify(found.unknownResources)}}`,
  );
}

async function participantsJson(
  member: 'email' | 'id',
  participants: ReadonlyMap<string, KnownParticipant>,
  turns: Turns,
): Promise<string> {
  const all: string[] = [];
  for (const one of participants.values()) all.push(await participantJson(member, one, turns));
  return all.join(',');
}

async function participantJson(
  member: 'email' | 'id',
  { name, busy }: KnownParticipant,
  turns: Turns,
): Promise<string> {
  const parts: string[] = [];
  for (let i = 0; i < busy.length; i += TIMES_A_TURN) {
    parts.push(
      busy
        .slice(i, i + TIMES_A_TURN)
        .map(({ json }) => json)
        .join(','),
    );
    await turns.next();
  }
  return `{"${member}":${JSON.stringify(name)},"busy":[${parts.join(',')}]}`;
}

/** What the schema cannot say of a question, of which it has left what does not fit out of what was sent. */
export function freeBusyProblems(question: Partial<FreeBusyQuestion>, sent: unknown): Problem[] {
  const { attendees = [], resources = [] } = question;
  const asked = attendees.length + resources.length;
  const problems = windowProblems(question, (name) => ({ pointer: `/${name}` }));
  if (asked > 0) return [...tooManyProblems(asked), ...problems];
  const isLeftOut = (['attendees', 'resources'] as const).some(
    (name) => question[name] === undefined && isMember(name, sent),
  );
  return isLeftOut ? problems : [NOBODY, ...problems];
}

const NOBODY: Problem = {
  pointer: '/attendees',
  code: 'required',
  message: 'Give attendees, resources or both.',
};

function isMember(name: string, sent: unknown): boolean {
  return typeof sent === 'object' && sent !== null && Object.hasOwn(sent, name);
}

/** What is wrong with asking for so many people and resources together. */
export function tooManyProblems(asked: number): Problem[] {
  if (asked <= MAX_ASKED) return [];
  const message = `Ask for at most ${MAX_ASKED} attendees and resources together.`;
  return [{ pointer: '', code: 'too_many', message }];
}
