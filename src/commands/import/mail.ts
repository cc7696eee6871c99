import type { Command } from 'commander';
import { Type } from 'typebox';
import {
  FolderName,
  type ImportedMessage,
  type ImportTarget,
  type MailboxOwner,
  maildirFlags,
  type StagedMessage,
  statusFlags,
} from '../../areas/mail/service.ts';
import type { Services } from '../../start/composition.ts';
import { checked } from '../arguments.ts';
import { userNamed } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { belowSkipped, withAllOption } from './import-tally.ts';
import { type FoundMessage, findMessages, type ReadProgress, UnreadableSource } from './mail-files.ts';
import type { SkippedSource } from './named-files.ts';

interface ImportOptions {
  folder?: string;
  threading: boolean;
  all?: boolean;
}

const Levels = Type.Object({ folder: Type.Array(FolderName) });

export function addImportMail(group: Command): void {
  const command = group
    .command('mail')
    .description('Import messages: .eml files, Maildirs, mailbox files (mbox), and directories of them')
    .argument('<user>', 'the id, e-mail address or alias of the user whose mailbox it is')
    .argument('<path...>', 'files and directories')
    .option(
      '--folder <name>',
      'the folder they go to, "/" between levels, made where it is missing; else the inbox',
    )
    .option('--no-threading', 'leave the messages outside of conversations');
  withAllOption(command).action(importMail);
}

async function importMail(
  user: string,
  paths: string[],
  { folder, threading, all }: ImportOptions,
  command: Command,
): Promise<void> {
  if (folder !== undefined) checked(Levels, { folder: folder.split('/') });
  const done = await withServices(async (services) => {
    const { database, directory, mail } = services;
    const owner = await database.read((tx) => userNamed(tx, directory, user));
    const folderId = await database.write((tx) =>
      folder === undefined ? mail.getFolderByRole(tx, owner, 'inbox') : mail.ensureFolder(tx, owner, folder),
    );
    return new MailImport(services, owner, { folderId, threading }).run(paths);
  });
  show(command, done.report, () => asText(done.report, all === true));
  if (done.hasFailed) process.exitCode = 1;
}

function asText({ added, already_there: present, skipped }: ImportReport, showsAll: boolean): string {
  const sum = `${counted(added, 'message')} added, ${present} there already, ${skipped.length} skipped.`;
  return belowSkipped(sum, skipped, showsAll);
}

/** The totals of an import. */
interface ImportReport {
  added: number;
  already_there: number;
  skipped: { source: string; reason: string }[];
}

/** Messages that are read at the same time: one is parsed while another waits for the disk. */
const READ_AT_ONCE = 2;
/** Messages per transaction: a commit takes longer than reading a few messages. */
const KEPT_AT_ONCE = 50;

/** A message or a skipped source, with the named path that it comes from. */
type NamedMessage = (FoundMessage | SkippedSource) & { named: string };

/** One run of an import. A repeated run adds nothing twice; after an interruption, another run continues. */
class MailImport {
  readonly #services: Services;
  readonly #owner: MailboxOwner;
  readonly #target: ImportTarget;
  readonly report: ImportReport = { added: 0, already_there: 0, skipped: [] };
  /**
   * The named paths whose messages were imported, now or in an earlier run, and the named paths with skipped sources.
   */
  readonly #came = new Set<string>();
  readonly #missed = new Set<string>();
  #hasFailed = false;
  /** How often each message has occurred in this run. */
  readonly #seen = new Map<string, number>();
  #staged: ImportedMessage[] = [];
  #keeping: Promise<void> = Promise.resolve();

  constructor(services: Services, owner: MailboxOwner, target: ImportTarget) {
    this.#services = services;
    this.#owner = owner;
    this.#target = target;
  }

  /** Imports the messages in the files and directories. Rejects when the storage fails. */
  async run(paths: readonly string[]): Promise<this> {
    const progress: ReadProgress = { bytes: 0 };
    const line = new ProgressLine(() => this.#progress(progress));
    const found = findMessages(paths, progress);
    try {
      await Promise.all(Array.from({ length: READ_AT_ONCE }, () => this.#takeFrom(found)));
      await this.#keep();
    } finally {
      line.end();
    }
    return this;
  }

  /** A directory may contain anything, but each named path should have yielded a message. */
  get hasFailed(): boolean {
    return this.#hasFailed || [...this.#missed].some((named) => !this.#came.has(named));
  }

  #progress({ bytes }: ReadProgress): string {
    const { added, already_there: present, skipped } = this.report;
    const mebibytes = (bytes / 1024 / 1024).toFixed(0);
    return `${added} added, ${present} there already, ${skipped.length} skipped, ${mebibytes} MiB read`;
  }

  async #takeFrom(found: AsyncGenerator<NamedMessage>): Promise<void> {
    for await (const entry of shared(found)) {
      if (entry.kind === 'skipped') this.#skip(entry, entry.reason);
      else await this.#stage(entry);
      if (this.#staged.length >= KEPT_AT_ONCE) await this.#keep();
    }
  }

  async #stage(found: FoundMessage & { named: string }): Promise<void> {
    try {
      const staged = await this.#services.mail.receive(found.content);
      const occurrence = (this.#seen.get(staged.digest()) ?? 0) + 1;
      this.#seen.set(staged.digest(), occurrence);
      const deliveredAt = found.deliveredAt ?? Date.now();
      this.#staged.push({ staged, ...marksOf(found, staged), deliveredAt, occurrence });
      this.#came.add(found.named);
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error;
      this.#skip(found, error.message);
    }
  }

  #skip({ named, source }: { named: string; source: string }, reason: string): void {
    this.report.skipped.push({ source, reason });
    this.#missed.add(named);
    if (source === named) this.#hasFailed = true;
  }

  /** Stores the staged messages after the previous batch, so copies are counted in order. */
  #keep(): Promise<void> {
    const batch = this.#staged;
    this.#staged = [];
    this.#keeping = this.#keeping.then(() => this.#keepBatch(batch));
    return this.#keeping;
  }

  async #keepBatch(batch: readonly ImportedMessage[]): Promise<void> {
    if (batch.length === 0) return;
    const { database, mail } = this.#services;
    let isAdded: boolean[] = [];
    try {
      isAdded = await database.write((tx) => mail.import(tx, this.#owner, this.#target, batch));
    } finally {
      const left = batch.filter((_, i) => !isAdded[i]);
      await Promise.all(left.map(({ staged }) => staged.discard()));
    }
    for (const added of isAdded) this.report[added ? 'added' : 'already_there']++;
  }
}

/** Lets several loops read from one generator: leaving one loop must not close the generator of the others. */
function shared<T>(generator: AsyncGenerator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => generator.next() }) };
}

function marksOf(
  { flagsFrom }: FoundMessage,
  { parsed }: StagedMessage,
): Pick<ImportedMessage, 'flags' | 'labels' | 'isDelivery'> {
  const stated = { labels: [], isDelivery: false };
  if (flagsFrom === undefined) return { ...stated, flags: 0 };
  if (flagsFrom === 'status headers') return { ...stated, flags: statusFlags(parsed) };
  if ('maildir' in flagsFrom) return { ...stated, flags: maildirFlags(flagsFrom.maildir) };
  const { flags, labels } = flagsFrom.noted;
  return { flags, labels, isDelivery: true };
}
