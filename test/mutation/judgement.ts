import { EXPLAINED, type Explanation } from './explained.ts';
import type { Mutant } from './mutants.ts';
import { type Result, shown } from './results.ts';

const LEAST_PERCENT = 90;

/** By which an explanation names a mutant; the number of its line changes with every other line. */
const NAMING = ['file', 'line', 'original', 'replacement'] as const;

/** How well the tests of a subject kill its mutants. */
export interface Judgement {
  readonly mutants: number;
  readonly killed: number;
  /** Of those that were killed, how many because they ran for ever. */
  readonly endless: number;
  readonly explained: number;
  readonly unexplained: readonly Mutant[];
  /** Those of mutants that no longer survive. */
  readonly needless: readonly Explanation[];
  readonly percent: number;
  readonly isGoodEnough: boolean;
}

/** Judges what became of all mutants of these files. */
export function judge(files: readonly string[], results: readonly Result[]): Judgement {
  const survivors = results.filter(({ fate }) => fate === 'survived');
  const explanations = EXPLAINED.filter(({ file }) => files.includes(file));
  const unexplained = survivors.filter((one) => !explanations.some((other) => areSame(one, other)));
  const needless = explanations.filter((one) => !survivors.some((other) => areSame(one, other)));
  const killed = results.length - survivors.length;
  const percent = (100 * killed) / results.length;
  return {
    mutants: results.length,
    killed,
    endless: results.filter(({ fate }) => fate === 'endless').length,
    explained: survivors.length - unexplained.length,
    unexplained,
    needless,
    percent,
    isGoodEnough: percent >= LEAST_PERCENT && unexplained.length === 0 && needless.length === 0,
  };
}

export function printJudgement(subject: string, judgement: Judgement): void {
  const { mutants, killed, endless, explained, unexplained, needless, percent } = judgement;
  console.log(
    `${subject}: ${mutants} mutants, ${killed} killed (${endless} of them ran for ever), ${explained} explained, ` +
      `${unexplained.length} not: ${percent.toFixed(1)} %`,
  );
  for (const mutant of unexplained) console.log(`  survived: ${shown(mutant)}`);
  for (const { file, line, original, replacement } of needless)
    console.log(`  explained, but does not survive: ${file}: ${line}: ${original} → ${replacement}`);
}

type Named = Pick<Mutant, (typeof NAMING)[number]>;

function areSame(one: Named, other: Named): boolean {
  return NAMING.every((part) => one[part] === other[part]);
}
