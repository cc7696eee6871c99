/**
 * Changes rights and rules one small change at a time, and runs the tests of their area on each: `npm run mutate
 * [subject…]`. Ends with 1 where a subject has fewer than 90 of 100 mutants killed, or a survivor that is not explained.
 * `--continue` tries only what the last run, of the same sources, has not killed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { judge, printJudgement } from './judgement.ts';
import { makeMutants } from './mutants.ts';
import { keepResults, keyOf, killedLately, type Result, shown } from './results.ts';
import { SUBJECTS, type Subject } from './subjects.ts';
import { Trials } from './trials.ts';

/** The results are kept each time that so many have come, for a run that is broken off. */
const KEPT_AT_ONCE = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { continue: { type: 'boolean', default: false } },
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

for (const name of positionals.length > 0 ? positionals : Object.keys(SUBJECTS)) {
  const subject = SUBJECTS[name];
  if (!subject)
    throw new Error(`There is no subject ${name}; there are ${Object.keys(SUBJECTS).join(', ')}.`);
  const judgement = judge(Object.keys(subject), await mutate(name, subject));
  printJudgement(name, judgement);
  if (!judgement.isGoodEnough) process.exitCode = 1;
}

/** Tries all mutants of a subject, several at a time, each on a processor. */
async function mutate(name: string, subject: Subject): Promise<Result[]> {
  const { mutants, sources } = await makeMutants(Object.keys(subject));
  const decided = values.continue ? killedLately(name) : new Map<string, Result>();
  const trials = new Trials(sources);
  await trials.rehearse(new Set(Object.values(subject).flat()));
  const results: Result[] = [];
  const waiting = mutants.values();
  const work = async () => {
    for (const mutant of waiting) {
      const verdict = decided.get(keyOf(mutant)) ?? (await trials.try(mutant.id, subject[mutant.file] ?? []));
      results.push({ ...verdict, ...mutant });
      if (verdict.fate === 'survived') console.error(`${name}: ${shown(mutant)}`);
      if (results.length % KEPT_AT_ONCE > 0) continue;
      keepResults(name, results);
      console.error(`${name}: ${results.length} of ${mutants.length} tried`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  keepResults(name, results);
  trials.end();
  return results;
}
