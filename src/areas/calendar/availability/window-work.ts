import type { Problem } from '../../../contract/operation.ts';
import { Steps } from '../../../formats/recurrence/periods.ts';
import { InvalidRule } from '../../../formats/recurrence/rule.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type EventDefinition, meetingsOf } from '../events/definition.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { type Occurrence, occurrences } from '../recurrence/occurrences.ts';

/** To read an event and its clock, beside what it names. */
const EVENT_STEPS = 100;
/**
 * Times that are told are kept, sorted and written, which takes longer than to look at one. 200 people who meet others
 * eight times each day of the week for a year have 420,000 of them.
 */
export const TOLD_STEPS = 24;
/** So many cost less than to look at the clock often. */
const OCCURRENCES_A_LOOK = 50;

/** Says what becomes of a work that would take more steps than it may. */
type Beyond = () => Error;

/** What to say of a question whose window reaches as far as its member or parameter `end` says. */
export function windowTooLarge(end: { pointer: '/end' } | { parameter: 'end' }): Problem {
  const message = 'Events take place too often in this window to be worked out; ask for a shorter one.';
  return { ...end, code: 'too_large', message };
}

/**
 * The work on when events take place within a window: in turns, and refused where they recur so often that it would take
 * minutes. An answer that leaves some of them out would call somebody free who is not.
 */
export class WindowWork {
  readonly #steps: Steps;
  readonly #beyond: Beyond;

  /** `beyond`: what to throw where it would take more than `most` steps. */
  constructor(beyond: Beyond, most: number) {
    this.#steps = new Steps(most);
    this.#beyond = beyond;
  }

  /** Hands over each time that an event takes place in a window. Rejects where that takes too many steps. */
  async eachOccurrence(
    definition: EventDefinition,
    timeZone: string,
    window: Interval,
    take: (occurrence: Occurrence) => void,
  ): Promise<void> {
    this.#spend(EVENT_STEPS + listedIn(definition));
    let taken = 0;
    try {
      for (const occurrence of occurrences(definition, timeZone, window, this.#steps)) {
        take(occurrence);
        if (++taken % OCCURRENCES_A_LOOK === 0) await giveWay();
      }
    } catch (error) {
      throw this.#refusalFor(error);
    }
    await giveWay();
  }

  /** Counts times that an answer is made of. Throws where they are too many. */
  tell(count: number): void {
    this.#spend(count * TOLD_STEPS);
  }

  #spend(steps: number): void {
    try {
      this.#steps.take(steps);
    } catch (error) {
      throw this.#refusalFor(error);
    }
  }

  #refusalFor(error: unknown): unknown {
    return error instanceof InvalidRule ? this.#beyond() : error;
  }
}

/** How many are listed by all that an event defines: each is read again for whomever it is asked about. */
function listedIn(definition: EventDefinition): number {
  return meetingsOf(definition).reduce((sum, { attendees }) => sum + attendees.length, 0);
}
