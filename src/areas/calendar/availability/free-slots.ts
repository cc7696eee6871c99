import { giveWay } from '../../../turns/next-turn.ts';
import { type Interval, overlaps } from '../recurrence/intervals.ts';
import { Agenda, Crowd } from './agendas.ts';
import { MAX_WINDOW_MS } from './availability-schema.ts';

const MINUTE_MS = 60_000;
/** This many steps cost less than checking the clock more often. */
const STEPS_PER_CLOCK_CHECK = 100;

/** A person or resource of a question; `busy` is sorted and disjoint. */
export interface Participant {
  /** As written in the request. */
  name: string;
  busy: readonly Interval[];
  /** Times at which the participant cannot meet, which need no buffer; sorted and disjoint. None if absent. */
  away?: readonly Interval[];
}

/** The requirements of a meeting. Times in milliseconds since the epoch, spans in milliseconds. */
export interface SlotQuestion {
  window: Interval;
  duration: number;
  /** Slots begin at the start of the window and at every step after it. */
  step: number;
  /** Free time that each participant needs before and after. */
  buffer: number;
  /** Times at which meetings are allowed, sorted and disjoint; undefined for any time. */
  workingTime: readonly Interval[] | undefined;
  required: readonly Participant[];
  optional: readonly Participant[];
  /** All of these are needed. */
  resources: readonly Participant[];
  /** One of these is needed, the first that is free; none if the list is empty. */
  anyOfResources: readonly Participant[];
  maxResults: number;
}

export interface Slot extends Interval {
  available: string[];
  unavailable: string[];
  resource: string | undefined;
}

export type EmptyReason = 'attendees_busy' | 'resources_busy' | 'outside_working_hours' | 'window_too_short';

/**
 * The slots that suit all required participants: those with the fewest missing optional participants first, then the
 * earliest; and the reason if there are none. The cost grows with the steps of the window plus the busy times, not with
 * their product.
 */
export async function findSlots(question: SlotQuestion): Promise<{
  slots: Slot[];
  emptyReason: EmptyReason | null;
}> {
  const { maxResults } = question;
  requireSteps(question);
  const search = await Search.for(question);
  const best = new Map<number, Candidate[]>();
  let steps = 0;
  for (const candidate of search.candidates()) {
    if (++steps % STEPS_PER_CLOCK_CHECK === 0) await giveWay();
    if (!candidate) continue;
    const alike = best.get(candidate.missed) ?? [];
    if (alike.length < maxResults) alike.push(candidate);
    best.set(candidate.missed, alike);
    if (best.get(0)?.length === maxResults) break;
  }
  const sorted = [...best].sort(([a], [b]) => a - b).flatMap(([, candidates]) => candidates);
  const slots = sorted.slice(0, maxResults).map((candidate) => slotOf(candidate, question));
  return { slots, emptyReason: slots.length > 0 ? null : search.emptyReason };
}

/** Without these bounds a search might never end. Throws RangeError. */
function requireSteps({ window, duration, step, buffer, maxResults }: SlotQuestion): void {
  const fits =
    step >= MINUTE_MS &&
    duration >= MINUTE_MS &&
    buffer >= 0 &&
    maxResults >= 1 &&
    window.end - window.start <= MAX_WINDOW_MS;
  if (!fits)
    throw new RangeError('Slots begin a minute apart at least, last as long, and lie within 366 days.');
}

/** A time at which all required participants can attend. */
interface Candidate extends Interval {
  /** Number of optional participants who cannot attend. */
  missed: number;
}

/** The busy times of participants that a meeting needs all of, and of those that it needs some of. */
interface SearchedTimes {
  required: Agenda;
  resources: Agenda;
  optional: Crowd;
  anyOfResources: Crowd;
}

/** One pass through the window from its start to its end. */
class Search {
  readonly #question: SlotQuestion;
  readonly #working: Agenda | undefined;
  readonly #required: Agenda;
  readonly #resources: Agenda;
  readonly #optional: Crowd;
  readonly #anyOfResources: Crowd;
  /** The reason that refused the candidate that passed the most checks. */
  #reason: EmptyReason = 'window_too_short';

  private constructor(question: SlotQuestion, times: SearchedTimes) {
    this.#question = question;
    this.#working = question.workingTime && new Agenda(question.workingTime);
    this.#required = times.required;
    this.#resources = times.resources;
    this.#optional = times.optional;
    this.#anyOfResources = times.anyOfResources;
  }

  static async for(question: SlotQuestion): Promise<Search> {
    return new Search(question, {
      required: await Agenda.ofAll(question.required),
      resources: await Agenda.ofAll(question.resources),
      optional: await Crowd.of(question.optional, question),
      anyOfResources: await Crowd.of(question.anyOfResources, question),
    });
  }

  get emptyReason(): EmptyReason {
    return this.#reason;
  }

  /** For each step the candidate, or undefined if something prevents it. */
  *candidates(): Generator<Candidate | undefined> {
    const { window, duration, step } = this.#question;
    for (let start = window.start; start + duration <= window.end; start += step) {
      const reason = this.#reasonAgainst({ start, end: start + duration });
      if (reason) this.#stoppedBy(reason);
      yield reason ? undefined : { start, end: start + duration, missed: this.#optional.busyAt(start) };
    }
  }

  #reasonAgainst(candidate: Interval): EmptyReason | undefined {
    const { anyOfResources } = this.#question;
    if (this.#working && !this.#working.holds(candidate)) return 'outside_working_hours';
    const needed = withBuffer(candidate, this.#question);
    if (this.#required.meets(needed)) return 'attendees_busy';
    const lacksResource =
      anyOfResources.length > 0 && this.#anyOfResources.busyAt(candidate.start) === anyOfResources.length;
    return lacksResource || this.#resources.meets(needed) ? 'resources_busy' : undefined;
  }

  #stoppedBy(reason: EmptyReason): void {
    if (REASONS.indexOf(reason) > REASONS.indexOf(this.#reason)) this.#reason = reason;
  }
}

/** In the order of the checks of a candidate. */
const REASONS: readonly EmptyReason[] = [
  'window_too_short',
  'outside_working_hours',
  'attendees_busy',
  'resources_busy',
];

function withBuffer({ start, end }: Interval, { buffer }: Pick<SlotQuestion, 'buffer'>): Interval {
  return { start: start - buffer, end: end + buffer };
}

function slotOf(candidate: Candidate, question: SlotQuestion): Slot {
  const needed = withBuffer(candidate, question);
  const isBusy = ({ busy, away = [] }: Participant) => overlaps(busy, needed) || overlaps(away, candidate);
  const coming = [...question.required, ...question.optional.filter((one) => !isBusy(one))];
  return {
    start: candidate.start,
    end: candidate.end,
    available: coming.map(({ name }) => name),
    unavailable: question.optional.filter(isBusy).map(({ name }) => name),
    resource: question.anyOfResources.find((one) => !isBusy(one))?.name,
  };
}
