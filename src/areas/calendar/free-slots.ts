import { type Interval, merged } from './intervals.ts';

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
 * where there are none, why.
 */
export function findSlots(question: SlotQuestion): { slots: Slot[]; emptyReason: EmptyReason | null } {
  const { maxResults } = question;
  const search = new Search(question);
  const best = new Map<number, Slot[]>();
  for (const slot of search.slots()) {
    const missed = slot.unavailable.length;
    const sameMissed = best.get(missed) ?? [];
    if (sameMissed.length < maxResults) best.set(missed, [...sameMissed, slot]);
    if (best.get(0)?.length === maxResults) break;
  }
  const sorted = [...best].sort(([a], [b]) => a - b).flatMap(([, slots]) => slots);
  return { slots: sorted.slice(0, maxResults), emptyReason: sorted.length > 0 ? null : search.emptyReason };
}

/** One walk through the window, from its start to its end. */
class Search {
  readonly #question: SlotQuestion;
  readonly #required: Agenda;
  readonly #resources: Agenda;
  readonly #optional: readonly NamedAgenda[];
  readonly #anyOfResources: readonly NamedAgenda[];
  /** How far the candidates came that were refused so far: the reason is what stopped the one that came furthest. */
  #reason: EmptyReason = 'window_too_short';

  constructor(question: SlotQuestion) {
    this.#question = question;
    this.#required = Agenda.ofAll(question.required);
    this.#resources = Agenda.ofAll(question.resources);
    this.#optional = question.optional.map(namedAgenda);
    this.#anyOfResources = question.anyOfResources.map(namedAgenda);
  }

  get emptyReason(): EmptyReason {
    return this.#reason;
  }

  *slots(): Generator<Slot> {
    for (const candidate of this.#candidates()) {
      const slot = this.#slotAt(candidate);
      if (slot) yield slot;
    }
  }

  /** Every step of the window at which the meeting would end within it, and within the working time. */
  *#candidates(): Generator<Interval> {
    const { window, duration, step, workingTime } = this.#question;
    const working = workingTime && new Agenda(workingTime);
    for (let start = window.start; start + duration <= window.end; start += step) {
      const candidate = { start, end: start + duration };
      if (!working || working.holds(candidate)) yield candidate;
      else this.#stoppedBy('outside_working_hours');
    }
  }

  #slotAt({ start, end }: Interval): Slot | undefined {
    const { buffer, required } = this.#question;
    const needed = { start: start - buffer, end: end + buffer };
    if (this.#required.meets(needed)) return this.#stoppedBy('attendees_busy');
    const resource = this.#anyOfResources.find(({ agenda }) => !agenda.meets(needed))?.name;
    const lacksResource = this.#anyOfResources.length > 0 && resource === undefined;
    if (lacksResource || this.#resources.meets(needed)) return this.#stoppedBy('resources_busy');
    const missing = this.#optional.filter(({ agenda }) => agenda.meets(needed)).map(({ name }) => name);
    const coming = this.#optional.map(({ name }) => name).filter((name) => !missing.includes(name));
    const available = [...required.map(({ name }) => name), ...coming];
    return { start, end, available, unavailable: missing, resource };
  }

  #stoppedBy(reason: EmptyReason): undefined {
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

interface NamedAgenda {
  name: string;
  agenda: Agenda;
}

function namedAgenda({ name, busy }: Participant): NamedAgenda {
  return { name, agenda: new Agenda(busy) };
}

/** Intervals that are sorted and apart, asked about spans whose starts only grow: one walk answers all. */
class Agenda {
  readonly #intervals: readonly Interval[];
  #next = 0;

  constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  static ofAll(participants: readonly Participant[]): Agenda {
    return new Agenda(merged(participants.flatMap(({ busy }) => busy)));
  }

  /** Whether the span shares a moment with an interval. Touching is not sharing. */
  meets({ start, end }: Interval): boolean {
    const next = this.#endingAfter(start);
    return next !== undefined && next.start < end;
  }

  /** Whether one interval holds the whole span. */
  holds({ start, end }: Interval): boolean {
    const next = this.#endingAfter(start);
    return next !== undefined && next.start <= start && end <= next.end;
  }

  #endingAfter(time: number): Interval | undefined {
    for (let at = this.#intervals[this.#next]; at && at.end <= time; at = this.#intervals[this.#next])
      this.#next++;
    return this.#intervals[this.#next];
  }
}
