import type { Command } from 'commander';
import { counted } from '../output.ts';
import type { NamedFile, SkippedName } from './named-files.ts';

/** The totals of an import of files with many items. A skipped source without an index was skipped as a whole. */
export interface ImportReport {
  created: number;
  updated: number;
  skipped: { source: string; index?: number; line?: number; reason: string }[];
}

/** An item of a file, or a file, that was skipped. */
export interface Skip {
  index?: number;
  /** The line of the file where the item begins, from 1. */
  line?: number;
  reason: string;
}

/** Counts the results of an import, and decides whether it has failed. */
export class ImportTally {
  readonly report: ImportReport = { created: 0, updated: 0, skipped: [] };
  /** The named paths from which items were imported, and the named paths with skipped items. */
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

  /** A directory may contain anything, but each named path should have yielded an item. */
  get hasFailed(): boolean {
    return this.#hasFailed || [...this.#missed].some((named) => !this.#came.has(named));
  }

  /** The progress, for people. */
  get progress(): string {
    const { created, updated, skipped } = this.report;
    return `${created} created, ${updated} updated, ${skipped.length} skipped`;
  }

  /**
   * The totals, for people. `what`: the noun of an item, such as "contact"; `part`: the noun of an item within a
   * file.
   */
  asText(what: string, part: string, showsAll: boolean): string {
    const { created, updated, skipped } = this.report;
    const sum = `${counted(created, what)} created, ${updated} updated, ${skipped.length} skipped.`;
    return belowSkipped(
      sum,
      skipped.map((skip) => ({ ...skip, source: sourceName(skip, part) })),
      showsAll,
    );
  }

  #skip(named: string, skip: ImportReport['skipped'][number]): void {
    this.report.skipped.push(skip);
    this.#missed.add(named);
    if (skip.index === undefined && skip.source === named) this.#hasFailed = true;
  }
}

function sourceName({ source, index, line }: ImportReport['skipped'][number], part: string): string {
  if (line !== undefined) return `line ${line} of ${source}`;
  return index === undefined ? source : `${part} ${index} of ${source}`;
}

/** More lines would scroll earlier output off a terminal. */
const MOST_SHOWN = 20;

/** Adds the option --all, which lifts this limit. */
export function withAllOption(command: Command): Command {
  return command.option('--all', `show everything that was skipped, not only the first ${MOST_SHOWN}`);
}

/** The totals of an import below the list of skipped sources, which is cut unless `showsAll`. */
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
