import { setTimeout as sleep } from 'node:timers/promises';
import { get, type Server } from '../mail/servers.ts';
import type { Figure } from '../report.ts';
import { hasNotmuch, indexedByNotmuch } from './notmuch.ts';
import { QUESTIONS } from './questions.ts';
import { VARIANTS } from './searchable-mail.ts';

const EVERY_MS = 1_000;
/** How often each variant is asked once the index is warm. */
const ROUNDS = 3;
/** Variants that notmuch is asked for: it takes seconds for a word that half of a million have. */
const VARIANTS_BESIDE = 4;

/** Milliseconds of notmuch for each question, by its name. */
export type Beside = ReadonlyMap<string, readonly number[]>;

/** notmuch on the same mail, where it is installed, with the start of its process, which is how it is used. */
export async function beside(messages: number): Promise<Beside> {
  const times = new Map<string, number[]>();
  if (!hasNotmuch()) return times;
  const notmuch = await indexedByNotmuch(messages);
  for (const { name, notmuch: asked } of QUESTIONS)
    times.set(name, await warmTimes(1, VARIANTS_BESIDE, (variant) => notmuch.search(asked(variant))));
  return times;
}

/** Milliseconds to the first page of 50 of each question, one after the other: the median and the slowest. */
export async function latencies(server: Server, name: string, others: Beside): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const question of QUESTIONS) {
    const ask = (variant: number) =>
      get(server, `/v1/search?limit=50&q=${encodeURIComponent(question.atrium(variant))}`);
    const ours = await warmTimes(ROUNDS, VARIANTS, ask);
    const theirs = others.get(question.name) ?? [];
    for (const [what, share] of [
      ['median', 0.5],
      ['slowest', 1],
    ] as const)
      figures.push({
        name: `${name}: ${question.name}, ${what}`,
        unit: 'ms',
        value: quantile(ours, share),
        ...(theirs.length > 0 && { ceiling: quantile(theirs, share) }),
      });
  }
  return figures;
}

/** Milliseconds of each variant in each round; in the round before, all are asked once. */
async function warmTimes(
  rounds: number,
  variants: number,
  ask: (variant: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++)
    for (let variant = 0; variant < variants; variant++) {
      const taken = await milliseconds(() => ask(variant));
      if (round > 0) times.push(taken);
    }
  return times;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Resolves when the newest message and the oldest are found: the index has all between them, because it builds in order. */
export async function indexed(server: Server, messages: number): Promise<void> {
  for (const word of [`few${(messages - 1) % 50_000}`, 'few0'])
    while ((await get(server, `/v1/search?q=${word}`)).data.length < Math.ceil(messages / 50_000))
      await sleep(EVERY_MS);
}
