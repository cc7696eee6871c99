import { readdirSync, realpathSync, statSync } from 'node:fs';
import { findInFile } from './mail-file.ts';
import { type FoundMessage, type ReadProgress, type SkippedSource, skipped, tried } from './mail-source.ts';

/**
 * Every message in the files and directories, in the order of their names: single messages (.eml, Maildir) and mailbox
 * files (mbox). What cannot be one is told, never thrown.
 */
export async function* findMessages(
  paths: readonly string[],
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedSource> {
  const walk = new Walk(progress);
  for (const path of paths) yield* walk.find(Buffer.from(path));
}

/**
 * Paths are bytes: old mail has file names that are no UTF-8. Files are read synchronously: a command has nobody else to
 * serve, and the way through the thread pool takes ten times as long as the reading itself.
 */
class Walk {
  readonly #progress: ReadProgress;
  /** The real paths of the directories so far: links may lead in a circle, or twice to the same. */
  readonly #entered = new Set<string>();

  constructor(progress: ReadProgress) {
    this.#progress = progress;
  }

  async *find(path: Buffer): AsyncGenerator<FoundMessage | SkippedSource> {
    const found = tried(() => statSync(path));
    if (found instanceof Error) yield skipped(path, found);
    else if (found.isDirectory()) yield* this.#findInDirectory(path);
    // A pipe or a terminal would be waited for, a device read for ever.
    else if (!found.isFile()) yield skipped(path, 'neither a file nor a directory');
    else yield* findInFile(path, Math.floor(found.mtimeMs), this.#progress);
  }

  async *#findInDirectory(directory: Buffer): AsyncGenerator<FoundMessage | SkippedSource> {
    const names = tried(() => this.#enter(directory));
    if (names instanceof Error) yield skipped(directory, names);
    else if (!names) yield skipped(directory, 'a directory that was read already');
    else for (const name of withMail(names)) yield* this.find(inside(directory, name));
  }

  /** The names in a directory; undefined when it has been read before. */
  #enter(directory: Buffer): Buffer[] | undefined {
    const real = realpathSync(directory, { encoding: 'buffer' }).toString('latin1');
    if (this.#entered.has(real)) return undefined;
    this.#entered.add(real);
    return readdirSync(directory, { encoding: 'buffer' });
  }
}

/** The names in order, without that of the deliveries to a Maildir which are not finished. */
function withMail(names: Buffer[]): Buffer[] {
  const isMaildir = ['cur', 'new'].every((name) => names.some((other) => other.equals(Buffer.from(name))));
  const unfinished = Buffer.from('tmp');
  return names.filter((name) => !(isMaildir && name.equals(unfinished))).sort(Buffer.compare);
}

function inside(directory: Buffer, name: Buffer): Buffer {
  const slash = Buffer.from('/');
  return Buffer.concat(directory.at(-1) === slash[0] ? [directory, name] : [directory, slash, name]);
}
