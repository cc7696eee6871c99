import { giveWay } from '../../../turns/next-turn.ts';
import { type Interval, overlaps } from '../recurrence/intervals.ts';
import { Agenda, Crowd } from './agendas.ts';
import { MAX_WINDOW_MS } from './availability-schema.ts';

const MINUTE_MS = 60_000;
/** So many cost less than to look at the clock often. */
const STEPS_A_LOOK = 100;

/** Somebody or something whose time is asked for; `busy` is sorted and apart. */
export interface Participant {
  /** As it was asked for. */
  name: string;
  busy: readonly Interval[];
}

/** What a meeting needs. Times in milliseconds since the epoch, spans in milliseconds. */
export interface SlotQuestion {
  window: Interval;
  duration: number;
  /** Slots begin at the window's start and at every step after it. */
  step: number;
  /** What everybody needs before and after. */
  buffer: number;
  /** When meetings may be, sorted and apart; undefined for any time. */
  workingTime: readonly Interval[] | undefined;
  required: readonly Participant[];
  optional: readonly Participant[];
  /** All of these. */
  resources: readonly Participant[];
  /** One of these, the first that is free; of none, none is needed. */
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
 * The slots that suit everyone who is required, those first that fewest of the optional miss, of these the earliest;
 * where there are none, why. The cost grows with the steps of the window plus the busy times, not with their product.
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
    if (++steps % STEPS_A_LOOK === 0) await giveWay();
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

/** A step, a meeting or a window without these bounds would be searched for ever. Throws RangeError. */
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

/** A time at which everybody who is required can come. */
interface Candidate extends Interval {
  /** How many of the optional cannot. */
  missed: number;
}

/** When those are busy of whom a meeting needs all, and those of whom it needs some. */
interface SearchedTimes {
  required: Agenda;
  resources: Agenda;
  optional: Crowd;
  anyOfResources: Crowd;
}

/** One walk through the window, from its start to its end. */
class Search {
  readonly #question: SlotQuestion;
  readonly #working: Agenda | undefined;
  readonly #required: Agenda;
  readonly #resources: Agenda;
  readonly #optional: Crowd;
  readonly #anyOfResources: Crowd;
  /** How far the candidates came that were refused so far: the reason is what stopped the one that came furthest. */
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

  /** For each step the candidate, or nothing where somebody or something stops it. */
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

/** In the order in which a candidate is looked at. */
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
  const isBusy = ({ busy }: Participant) => overlaps(busy, needed);
  const coming = [...question.required, ...question.optional.filter((one) => !isBusy(one))];
  return {
    start: candidate.start,
    end: candidate.end,
    available: coming.map(({ name }) => name),
    unavailable: question.optional.filter(isBusy).map(({ name }) => name),
    resource: question.anyOfResources.find((one) => !isBusy(one))?.name,
  };
}
