import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutants.ts';
import type { Verdict } from './trials.ts';

const REPORTS = join(import.meta.dirname, '../../reports/mutation');

/** A mutant and what became of it. */
export type Result = Mutant & Verdict;

/** Keeps what came of a subject's mutants, for people and for a run that goes on. */
export function keepResults(subject: string, results: readonly Result[]): void {
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(reportOf(subject), JSON.stringify(results, null, 2));
}

/** What the last run has killed, by the key of the mutant. */
export function killedLately(subject: string): Map<string, Result> {
  if (!existsSync(reportOf(subject))) return new Map();
  const results: Result[] = JSON.parse(readFileSync(reportOf(subject), 'utf8'));
  const killed = results.filter(({ fate }) => fate !== 'survived');
  return new Map(killed.map((result) => [keyOf(result), result]));
}

/** Another for each mutant of the same sources. */
export function keyOf({ file, lineNumber, column, original, replacement }: Mutant): string {
  return JSON.stringify([file, lineNumber, column, original, replacement]);
}

/** A mutant on one line. */
export function shown({ file, lineNumber, original, replacement }: Mutant): string {
  return `${file}:${lineNumber}: ${original} → ${replacement}`.replaceAll(/\s+/g, ' ');
}

function reportOf(subject: string): string {
  return join(REPORTS, `${subject}.json`);
}
