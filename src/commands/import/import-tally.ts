import type { Command } from 'commander';
import { counted } from '../output.ts';
import type { NamedFile, SkippedName } from './named-files.ts';

/** What an import of files that hold many has done; what was skipped as a whole has no index. */
export interface ImportReport {
  created: number;
  updated: number;
  skipped: { source: string; index?: number; line?: number; reason: string }[];
}

/** Something of a file that was not taken. */
export interface Skip {
  index?: number;
  /** Where it begins in the file, from 1. */
  line?: number;
  reason: string;
}

/** Counts what an import does, and knows whether all that it was given has come. */
export class ImportTally {
  readonly report: ImportReport = { created: 0, updated: 0, skipped: [] };
  /** Of what was named, that of which something came, and that of which something did not. */
  readonly #came = new Set<string>();
  readonly #missed = new Set<string>();
  #hasFailed = false;

  add({ named }: NamedFile, done: { created: number; updated: number }): void {
    this.report.created += done.created;
    this.report.updated += done.updated;
    if (done.created + done.updated > 0) this.#came.add(named);
  }

  skip({ named, path }: NamedFile, skip: Skip): void {
    this.#skip(named, { source: path.toString(), ...skip });
  }

  skipName({ named, source, reason }: SkippedName): void {
    this.#skip(named, { source, reason });
  }

  /** Within a directory there may be anything; of what was named, something should have come. */
  get hasFailed(): boolean {
    return this.#hasFailed || [...this.#missed].some((named) => !this.#came.has(named));
  }

  /** How far it has come, for people. */
  get progress(): string {
    const { created, updated, skipped } = this.report;
    return `${created} created, ${updated} updated, ${skipped.length} skipped`;
  }

  /** What was done, for people: of what (such as "contact"), and what the parts of a file are called. */
  asText(what: string, part: string, showsAll: boolean): string {
    const { created, updated, skipped } = this.report;
    const sum = `${counted(created, what)} created, ${updated} updated, ${skipped.length} skipped.`;
    return belowSkipped(
      sum,
      skipped.map((skip) => ({ ...skip, source: placeOf(skip, part) })),
      showsAll,
    );
  }

  #skip(named: string, skip: ImportReport['skipped'][number]): void {
    this.report.skipped.push(skip);
    this.#missed.add(named);
    if (skip.index === undefined && skip.source === named) this.#hasFailed = true;
  }
}

function placeOf({ source, index, line }: ImportReport['skipped'][number], part: string): string {
  if (line !== undefined) return `line ${line} of ${source}`;
  return index === undefined ? source : `${part} ${index} of ${source}`;
}

/** More would push what comes before off a terminal. */
const MOST_SHOWN = 20;

/** Adds the option by which an import shows more than that. */
export function withAllOption(command: Command): Command {
  return command.option('--all', `show everything that was skipped, not only the first ${MOST_SHOWN}`);
}

/** The sum of an import below what it has skipped, of which the first alone are shown unless all are wanted. */
export function belowSkipped(
  sum: string,
  skipped: readonly { source: string; reason: string }[],
  showsAll: boolean,
): string {
  const shown = showsAll ? skipped : skipped.slice(0, MOST_SHOWN);
  const lines = shown.map(({ source, reason }) => `skipped ${source}: ${reason}`);
  const more = skipped.length - shown.length;
  return [...lines, ...(more > 0 ? [`and ${more} more (--all shows them)`] : []), sum].join('\n');
}
