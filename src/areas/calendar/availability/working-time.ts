import { minutesOf, type WorkingPeriod } from '../../../contract/working-hours.ts';
import { DAY_SECONDS, weekdayOf } from '../../../formats/recurrence/civil.ts';
import { ianaZone, type Zone } from '../../../formats/recurrence/zone.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { clipIntervals, type Interval, mergeIntervals } from '../recurrence/intervals.ts';

/** Working hours on the clock of an IANA zone. */
export interface WorkingHours {
  timeZone: string;
  periods: readonly WorkingPeriod[];
}

/** The working time within a window (milliseconds since the epoch): sorted and disjoint. */
export function workingTime({ timeZone, periods }: WorkingHours, window: Interval): Interval[] {
  const zone = ianaZone(timeZone);
  const hours = periods.map(({ days, start, end }) => ({
    days: new Set(days),
    start: minutesOf(start),
    end: minutesOf(end),
  }));
  const times: Interval[] = [];
  for (let day = dayAt(zone, window.start) - 1; day <= dayAt(zone, window.end) + 1; day++) {
    const weekday = weekdayOf(day) + 1;
    for (const { days, start, end } of hours) {
      if (days.has(weekday)) times.push({ start: at(zone, day, start), end: at(zone, day, end) });
    }
  }
  return clipIntervals(mergeIntervals(times), window);
}

function dayAt(zone: Zone, time: number): number {
  return Math.floor(zone.toLocal(Math.floor(time / 1000)) / DAY_SECONDS);
}

function at(zone: Zone, day: number, minutes: number): number {
  return zone.toUtc(day * DAY_SECONDS + minutes * 60) * 1000;
}

/** Computes the working times of several people within a window: once for all who have the same hours. */
export class WorkingTimes {
  readonly #window: Interval;
  readonly #known = new Map<string, Interval[]>();

  constructor(window: Interval) {
    this.#window = window;
  }

  /** The time that lies within the hours of everybody; undefined for nobody. */
  async shared(all: readonly WorkingHours[]): Promise<Interval[] | undefined> {
    let shared: readonly Interval[] | undefined;
    for (const times of new Set(await this.#each(all))) {
      shared = shared ? intersection(shared, times) : times;
      await giveWay();
    }
    return shared && [...shared];
  }

  /** The time of the window outside of these hours: sorted and disjoint. */
  async outside(hours: WorkingHours): Promise<Interval[]> {
    const [times = []] = await this.#each([hours]);
    const { start, end } = this.#window;
    const edges = [start, ...times.flatMap((time) => [time.start, time.end]), end];
    const gaps: Interval[] = [];
    for (let i = 0; i + 1 < edges.length; i += 2)
      gaps.push({ start: edges[i] ?? start, end: edges[i + 1] ?? end });
    return gaps.filter((gap) => gap.start < gap.end);
  }

  async #each(all: readonly WorkingHours[]): Promise<Interval[][]> {
    const found: Interval[][] = [];
    for (const hours of all) {
      const key = JSON.stringify([hours.timeZone, hours.periods]);
      const times = this.#known.get(key) ?? workingTime(hours, this.#window);
      this.#known.set(key, times);
      found.push(times);
      await giveWay();
    }
    return found;
  }
}

/** The time that two sorted, disjoint lists have in common. */
function intersection(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  const common: Interval[] = [];
  let next = 0;
  for (const { start, end } of some) {
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    for (let i = next; (others[i]?.start ?? end) < end; i++) {
      const other = others[i];
      if (other) common.push({ start: Math.max(start, other.start), end: Math.min(end, other.end) });
    }
  }
  return common;
}
