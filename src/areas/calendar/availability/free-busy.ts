import type { Staging } from '../../../blobs/staging.ts';
import { type JsonStream, JsonText } from '../../../contract/answers.ts';
import { hasMember } from '../../../contract/json.ts';
import type { Problem } from '../../../contract/operation.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { stagedText } from '../../../contract/staged-text.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { CalendarDependencies } from '../dependencies.ts';
import type { CalendarOwner } from '../owner.ts';
import { FreeBusyQuestion, MAX_ASKED } from './availability-schema.ts';
import {
  type Availability,
  type AvailabilityDependencies,
  availability,
  type KnownParticipant,
} from './participants.ts';
import { MOST_TIMES_AT_ONCE, windowOf, windowProblems, windowTooLarge } from './window-work.ts';

/** Times that are serialized in one turn. */
const TIMES_A_TURN = 1_000;

/**
 * Busy times of people and resources, without what keeps them busy, outside of any transaction. Rejects with ApiError
 * validation_failed if that takes too long, and with TooManyWaiting.
 */
export function freeBusy(
  { directory, cache, questions, staging }: CalendarDependencies,
  caller: CalendarOwner,
  question: FreeBusyQuestion,
): Promise<JsonText | JsonStream> {
  return questions.answer({
    read: (tx, work) => findBusy(tx, { directory, cache, work }, caller, question),
    answer: (found) => freeBusyAnswer(found, staging),
    problem: windowTooLarge({ pointer: '/end' }),
  });
}

async function findBusy(
  tx: ReadTransaction,
  dependencies: AvailabilityDependencies,
  caller: CalendarOwner,
  question: FreeBusyQuestion,
): Promise<Availability> {
  requireValues(FreeBusyQuestion, question);
  const { attendees = [], resources = [] } = question;
  return availability(tx, dependencies, caller, { attendees, resources }, windowOf(question));
}

/** The answer to a question; a long one is sent in chunks. Rejects with TooManyWaiting if the staging has no room for it. */
async function freeBusyAnswer(found: Availability, staging: Staging): Promise<JsonText | JsonStream> {
  const all = [...found.attendees.values(), ...found.resources.values()];
  const count = all.reduce((sum, { busy }) => sum + busy.length, 0);
  if (count > MOST_TIMES_AT_ONCE) return stagedText(staging, inTurns(pieces(found)));
  return new JsonText([...pieces(found)].join(''));
}

async function* inTurns(texts: Iterable<string>): AsyncGenerator<string> {
  for (const text of texts) {
    yield text;
    await giveWay();
  }
}

function* pieces(found: Availability): Generator<string> {
  yield '{"attendees":[';
  yield* participants('email', found.attendees);
  yield '],"resources":[';
  yield* participants('id', found.resources);
  yield `],"unknown_attendees":${JSON.stringify(found.unknownAttendees)},`;
  yield `"unknown_resources":${JSON.stringify(found.unknownResources)}}`;
}

function* participants(
  member: 'email' | 'id',
  known: ReadonlyMap<string, KnownParticipant>,
): Generator<string> {
  let before = '';
  for (const { name, busy } of known.values()) {
    yield `${before}{"${member}":${JSON.stringify(name)},"busy":[`;
    before = ',';
    for (let i = 0; i < busy.length; i += TIMES_A_TURN) {
      const times = busy.slice(i, i + TIMES_A_TURN).map(({ json }) => json);
      yield `${i > 0 ? ',' : ''}${times.join(',')}`;
    }
    yield ']}';
  }
}

/** Rules for a question that its schema cannot express. `question` lacks the fields of `sent` that violate the schema. */
export function freeBusyProblems(question: Partial<FreeBusyQuestion>, sent: unknown): Problem[] {
  const { attendees = [], resources = [] } = question;
  const asked = attendees.length + resources.length;
  const problems = windowProblems(question, (name) => ({ pointer: `/${name}` }));
  if (asked > 0) return [...tooManyProblems(asked), ...problems];
  const isLeftOut = (['attendees', 'resources'] as const).some(
    (name) => question[name] === undefined && hasMember(sent, name),
  );
  return isLeftOut ? problems : [NOBODY, ...problems];
}

const NOBODY: Problem = {
  pointer: '/attendees',
  code: 'required',
  message: 'Give attendees, resources or both.',
};

/** The problem of a question about too many people and resources. */
export function tooManyProblems(asked: number): Problem[] {
  if (asked <= MAX_ASKED) return [];
  const message = `Ask for at most ${MAX_ASKED} attendees and resources together.`;
  return [{ pointer: '', code: 'too_many', message }];
}
