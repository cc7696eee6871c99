import type { Command } from 'commander';
import type { Product } from '../app.ts';
import { type MailboxOwner, maildirFlags, type StagedMessage, statusFlags } from '../areas/mail/service.ts';
import { type FoundMessage, findMessages, type ReadProgress, type SkippedFile } from './mail-files.ts';
import { userNamed } from './named.ts';
import { show } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { withProduct } from './session.ts';

interface ImportOptions {
  folder: string;
  threading: boolean;
}

/** What an import has done. */
interface Report {
  added: number;
  already_there: number;
  skipped: { source: string; reason: string }[];
}

/** Messages under way at once: while one waits for the disk the others are read. */
const AT_ONCE = 16;

export function addImportCommands(program: Command): void {
  program
    .command('import')
    .description('Bring in what other programs hold')
    .command('mail')
    .description('Import messages: .eml files, Maildirs, mailbox files (mbox), and directories of them')
    .argument('<user>', 'the id, e-mail address or alias of the user whose mailbox it is')
    .argument('<path...>', 'files and directories')
    .option('--folder <name>', 'the folder they go to, "/" between levels; made where it is missing', 'Inbox')
    .option('--no-threading', 'leave the messages outside of conversations')
    .action(importMail);
}

async function importMail(
  user: string,
  paths: string[],
  options: ImportOptions,
  command: Command,
): Promise<void> {
  const report = await withProduct(async (product) => {
    const { database, directory, mail } = product;
    const owner = await database.read((tx) => userNamed(tx, directory, user));
    const folderId = await database.write((tx) => mail.ensureFolder(tx, owner, options.folder));
    return new MailImport(product, owner, folderId, options.threading).run(paths);
  });
  show(command, report, () => asText(report));
}

function asText({ added, already_there: present, skipped }: Report): string {
  const lines = [`${added} messages added, ${present} were there already, ${skipped.length} skipped.`];
  return [...lines, ...skipped.map(({ source, reason }) => `skipped ${source}: ${reason}`)].join('\n');
}

/** One run of an import. Run again, it adds nothing twice; stopped in the middle, another run goes on. */
class MailImport {
  readonly #product: Product;
  readonly #owner: MailboxOwner;
  readonly #folderId: string;
  readonly #threading: boolean;
  readonly #report: Report = { added: 0, already_there: 0, skipped: [] };
  /** How often each message has come in this run, and the import of its last copy while it is under way. */
  readonly #seen = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(product: Product, owner: MailboxOwner, folderId: string, threading: boolean) {
    this.#product = product;
    this.#owner = owner;
    this.#folderId = folderId;
    this.#threading = threading;
  }

  async run(paths: readonly string[]): Promise<Report> {
    const progress: ReadProgress = { bytes: 0 };
    const line = new ProgressLine(() => this.#progress(progress));
    const found = findMessages(paths, progress);
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#takeFrom(found)));
    } finally {
      line.end();
    }
    return this.#report;
  }

  #progress({ bytes }: ReadProgress): string {
    const { added, already_there: present, skipped } = this.#report;
    const mebibytes = (bytes / 1024 / 1024).toFixed(0);
    return `${added} added, ${present} there already, ${skipped.length} skipped, ${mebibytes} MiB read`;
  }

  async #takeFrom(found: AsyncGenerator<FoundMessage | SkippedFile>): Promise<void> {
    for await (const entry of shared(found)) {
      if (entry.kind === 'skipped') this.#report.skipped.push({ source: entry.source, reason: entry.reason });
      else await this.#import(entry);
    }
  }

  async #import(found: FoundMessage): Promise<void> {
    const { mail } = this.#product;
    const staged = await mail.receive(found.content);
    const { digest } = staged;
    const occurrence = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.set(digest, occurrence);
    const kept = (this.#underWay.get(digest) ?? Promise.resolve()).then(() =>
      this.#keep(found, staged, occurrence),
    );
    this.#underWay.set(digest, kept);
    await kept;
    if (this.#underWay.get(digest) === kept) this.#underWay.delete(digest);
  }

  async #keep(found: FoundMessage, staged: StagedMessage, occurrence: number): Promise<void> {
    const { database, mail } = this.#product;
    const arrival = {
      folderId: this.#folderId,
      flags: flagsOf(found, staged),
      labels: [],
      threading: this.#threading,
    };
    const outcome = await database.write((tx) => mail.import(tx, this.#owner, arrival, occurrence, staged));
    if (outcome === 'added') this.#report.added++;
    else {
      this.#report.already_there++;
      await staged.discard();
    }
  }
}

/** Lets several loops take from one generator: ending one loop must not end the generator of the others. */
function shared<T>(generator: AsyncGenerator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => generator.next() }) };
}

function flagsOf({ flagsFrom }: FoundMessage, { parsed }: StagedMessage): number {
  if (flagsFrom === 'status headers') return statusFlags(parsed);
  return flagsFrom ? maildirFlags(flagsFrom.maildir) : 0;
}
