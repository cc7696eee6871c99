import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Mutant as MadeMutant } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const ROOT = join(import.meta.dirname, '../..');

/** One small change of the source, made while the environment names its id. */
export interface Mutant {
  /** Of this run of the mutators: another once the files are others. */
  readonly id: string;
  readonly file: string;
  /** Where it begins, from 1. */
  readonly lineNumber: number;
  readonly column: number;
  /** The text of the line on which it begins, without indentation. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
}

/** All mutants of some files, and the source of each file with all of its mutants in it, as JavaScript. */
export interface Mutants {
  readonly mutants: readonly Mutant[];
  readonly sources: ReadonlyMap<string, string>;
}

/** Makes every mutant that the mutators of StrykerJS know for these files, named from the root of the project. */
export async function makeMutants(files: readonly string[]): Promise<Mutants> {
  const originals = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
  const instrumented = await new Instrumenter(SILENT).instrument(
    [...originals].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  return {
    mutants: instrumented.mutants.map((mutant) => described(mutant, originals.get(mutant.fileName) ?? '')),
    sources: new Map(instrumented.files.map(({ name, content }) => [name, stripTypeScriptTypes(content)])),
  };
}

function described({ id, fileName, location, replacement }: MadeMutant, source: string): Mutant {
  const lines = source.split('\n');
  const { start, end } = location;
  const offsetOf = ({ line, column }: { line: number; column: number }) =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, column);
  return {
    id,
    file: fileName,
    lineNumber: start.line + 1,
    column: start.column + 1,
    line: (lines[start.line] ?? '').trim(),
    original: source.slice(offsetOf(start), offsetOf(end)),
    replacement,
  };
}

const SILENT: Logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};
