import { counted } from '../output.ts';
import type { NamedFile, SkippedName } from './named-files.ts';

/** What an import of files that hold many has done; what was skipped as a whole has no index. */
export interface ImportReport {
  created: number;
  updated: number;
  skipped: { source: string; index?: number; reason: string }[];
}

/** Something of a file that was not taken. */
export interface Skip {
  index?: number;
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
  asText(what: string, part: string): string {
    const { created, updated, skipped } = this.report;
    const lines = [`${counted(created, what)} created, ${updated} updated, ${skipped.length} skipped.`];
    const skips = skipped.map(({ source, index, reason }) => {
      const place = index === undefined ? source : `${part} ${index} of ${source}`;
      return `skipped ${place}: ${reason}`;
    });
    return [...lines, ...skips].join('\n');
  }

  #skip(named: string, skip: ImportReport['skipped'][number]): void {
    this.report.skipped.push(skip);
    this.#missed.add(named);
    if (skip.index === undefined && skip.source === named) this.#hasFailed = true;
  }
}
