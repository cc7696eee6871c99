/**
 * Changes rights and rules one small change at a time, and runs the tests of their area on each: `npm run mutate
 * [subject…]`. Ends with 1 where a subject has fewer than 90 of 100 mutants killed, or a survivor that is not explained.
 * `--survivors` tries only those that survived the last run of the same sources.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXPLAINED, type Explanation } from './explained.ts';
import { type Mutant, makeMutants } from './mutants.ts';
import { SUBJECTS, type Subject } from './subjects.ts';
import { Trials, type Verdict } from './trials.ts';

const LEAST_PERCENT = 90;
const REPORTS = join(import.meta.dirname, '../../reports/mutation');

/** By which an explanation names a mutant; the number of its line changes with every other line. */
const PARTS = ['file', 'line', 'original', 'replacement'] as const;

/** A mutant and what became of it. */
type Result = Mutant & Verdict;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { survivors: { type: 'boolean', default: false } },
});

for (const name of positionals.length > 0 ? positionals : Object.keys(SUBJECTS)) {
  const subject = SUBJECTS[name];
  if (!subject)
    throw new Error(`There is no subject ${name}; there are ${Object.keys(SUBJECTS).join(', ')}.`);
  const results = await mutate(name, subject);
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(reportOf(name), JSON.stringify(results, null, 2));
  if (!judge(name, subject, results)) process.exitCode = 1;
}

async function mutate(name: string, { files, tests }: Subject): Promise<Result[]> {
  const { mutants, sources } = await makeMutants(files);
  const decided = values.survivors ? killedLately(name) : new Map<string, Verdict>();
  const trials = new Trials(sources, tests);
  try {
    await trials.rehearse();
    return await tryAll(name, mutants, decided, trials);
  } finally {
    trials.end();
  }
}

/** Several at a time, each on a processor. */
async function tryAll(
  name: string,
  mutants: readonly Mutant[],
  decided: ReadonlyMap<string, Verdict>,
  trials: Trials,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = mutants.entries();
  const work = async () => {
    for (const [place, mutant] of waiting) {
      const verdict = decided.get(keyOf(mutant)) ?? (await trials.try(mutant.id));
      results[place] = { ...mutant, ...verdict };
      if (verdict.fate === 'survived') console.error(`${name}: ${shown(mutant)}`);
      if (place % 50 === 0) console.error(`${name}: ${place} of ${mutants.length} tried`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

/** Prints what came of a subject; answers whether it is good enough. */
function judge(name: string, { files }: Subject, results: readonly Result[]): boolean {
  const survivors = results.filter(({ fate }) => fate === 'survived');
  const endless = results.filter(({ fate }) => fate === 'endless').length;
  const explanations = EXPLAINED.filter(({ file }) => files.includes(file));
  const unexplained = survivors.filter((one) => !explanations.some((explanation) => fits(explanation, one)));
  const unneeded = explanations.filter((one) => !survivors.some((survivor) => fits(one, survivor)));
  const killed = results.length - survivors.length;
  const percent = (100 * killed) / results.length;
  console.log(
    `${name}: ${results.length} mutants, ${killed} killed (${endless} of them ran for ever), ` +
      `${survivors.length - unexplained.length} explained, ${unexplained.length} not, ${percent.toFixed(1)} %`,
  );
  for (const one of unexplained) console.log(`  survived: ${shown(one)}`);
  for (const { file, line } of unneeded) console.log(`  explained, but does not survive: ${file}: ${line}`);
  return percent >= LEAST_PERCENT && unexplained.length === 0 && unneeded.length === 0;
}

function fits(explanation: Explanation, mutant: Mutant): boolean {
  return PARTS.every((part) => explanation[part] === mutant[part]);
}

function keyOf(mutant: Mutant): string {
  return JSON.stringify([...PARTS.map((part) => mutant[part]), mutant.lineNumber, mutant.id]);
}

/** What the last run has killed, by mutant. */
function killedLately(name: string): Map<string, Verdict> {
  const results: Result[] = JSON.parse(readFileSync(reportOf(name), 'utf8'));
  const killed = results.filter(({ fate }) => fate !== 'survived');
  return new Map(killed.map((result) => [keyOf(result), { fate: result.fate, by: result.by }]));
}

function reportOf(name: string): string {
  return join(REPORTS, `${name}.json`);
}

function shown({ file, lineNumber, original, replacement }: Mutant): string {
  return `${file}:${lineNumber}: ${oneLine(original)} → ${oneLine(replacement)}`;
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ');
}
