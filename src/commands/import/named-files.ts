import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

/** A file that a command was given, or that is in a directory that it was given. */
export interface NamedFile {
  kind: 'file';
  /** Bytes: old files have names that are no UTF-8. */
  path: Buffer;
  /** What the command was given. */
  named: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** Something that is not taken, and why. */
export interface SkippedSource {
  kind: 'skipped';
  source: string;
  reason: string;
}

/** What is no file, and why, with what the command was given. */
export type SkippedName = SkippedSource & { named: string };

/**
 * The files that were named, and those in the directories that were, in the order of their names. What is neither is
 * told, never thrown; of `takesPipes`, a pipe is read like a file.
 */
export function* filesIn(
  paths: readonly string[],
  { takesPipes = false } = {},
): Generator<NamedFile | SkippedName> {
  const walk = new Walk(takesPipes);
  for (const named of paths) {
    for (const found of walk.find(Buffer.from(named))) yield { ...found, named };
  }
}

/** Directories are read synchronously: a command has nobody else to serve. */
class Walk {
  readonly #takesPipes: boolean;
  /** The real paths of the directories so far: links may lead in a circle, or twice to the same. */
  readonly #entered = new Set<string>();

  constructor(takesPipes: boolean) {
    this.#takesPipes = takesPipes;
  }

  *find(path: Buffer): Generator<Omit<NamedFile, 'named'> | SkippedSource> {
    const found = tried(() => statSync(path));
    if (found instanceof Error) yield skipped(path, found);
    else if (found.isDirectory()) yield* this.#findInDirectory(path);
    // A terminal would be waited for, a device read for ever.
    else if (!this.#isReadable(found)) yield skipped(path, 'neither a file nor a directory');
    else yield { kind: 'file', path, modifiedAt: Math.floor(found.mtimeMs) };
  }

  #isReadable(found: Stats): boolean {
    return found.isFile() || (this.#takesPipes && found.isFIFO());
  }

  *#findInDirectory(directory: Buffer): Generator<Omit<NamedFile, 'named'> | SkippedSource> {
    const names = tried(() => this.#enter(directory));
    if (names instanceof Error) yield skipped(directory, names);
    else if (!names) yield skipped(directory, 'a directory that was read already');
    else for (const name of withoutUnfinished(names)) yield* this.find(inside(directory, name));
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
function withoutUnfinished(names: Buffer[]): Buffer[] {
  const isMaildir = ['cur', 'new'].every((name) => names.some((other) => other.equals(Buffer.from(name))));
  const unfinished = Buffer.from('tmp');
  return names.filter((name) => !(isMaildir && name.equals(unfinished))).sort(Buffer.compare);
}

function inside(directory: Buffer, name: Buffer): Buffer {
  const slash = Buffer.from('/');
  return Buffer.concat(directory.at(-1) === slash[0] ? [directory, name] : [directory, slash, name]);
}

/** What is told of a path that is not taken. */
export function skipped(path: Buffer, reason: string | Error): SkippedSource {
  return {
    kind: 'skipped',
    source: path.toString(),
    reason: typeof reason === 'string' ? reason : reasonOf(reason),
  };
}

/** The system's words for what went wrong, without the path and the call that Node adds. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
}

/** What a call answers, or what it throws. */
export function tried<T>(call: () => T): T | Error {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
