import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

/** A file that a command was given, or that is in a directory that the command was given. */
export interface NamedFile {
  kind: 'file';
  /** Bytes, because old files may have names that are not UTF-8. */
  path: Buffer;
  /** The path that the command was given. */
  named: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** A source that is not imported, and the reason. */
export interface SkippedSource {
  kind: 'skipped';
  source: string;
  reason: string;
}

/** A path that is not imported, with the path that the command was given. */
export type SkippedName = SkippedSource & { named: string };

/**
 * The named files, and the files in the named directories, in the order of their names. A path that is neither is
 * reported, not thrown; with `takesPipes`, a pipe is read like a file.
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

/** Reads directories synchronously: a command serves no other request meanwhile. */
class Walk {
  readonly #takesPipes: boolean;
  /** The real paths of the visited directories: links may form a cycle, or lead to a directory twice. */
  readonly #entered = new Set<string>();

  constructor(takesPipes: boolean) {
    this.#takesPipes = takesPipes;
  }

  *find(path: Buffer): Generator<Omit<NamedFile, 'named'> | SkippedSource> {
    const found = tried(() => statSync(path));
    if (found instanceof Error) yield skipped(path, found);
    else if (found.isDirectory()) yield* this.#findInDirectory(path);
    // Reading from a terminal would wait, and reading from a device might never end.
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

  /** The names in a directory; undefined where it was read before. */
  #enter(directory: Buffer): Buffer[] | undefined {
    const real = realpathSync(directory, { encoding: 'buffer' }).toString('latin1');
    if (this.#entered.has(real)) return undefined;
    this.#entered.add(real);
    return readdirSync(directory, { encoding: 'buffer' });
  }
}

/** The sorted names, without the directory "tmp" of a Maildir: its deliveries are unfinished. */
function withoutUnfinished(names: Buffer[]): Buffer[] {
  const isMaildir = ['cur', 'new'].every((name) => names.some((other) => other.equals(Buffer.from(name))));
  const unfinished = Buffer.from('tmp');
  return names.filter((name) => !(isMaildir && name.equals(unfinished))).sort(Buffer.compare);
}

function inside(directory: Buffer, name: Buffer): Buffer {
  const slash = Buffer.from('/');
  return Buffer.concat(directory.at(-1) === slash[0] ? [directory, name] : [directory, slash, name]);
}

/** The report of a path that is not imported. */
export function skipped(path: Buffer, reason: string | Error): SkippedSource {
  return {
    kind: 'skipped',
    source: path.toString(),
    reason: typeof reason === 'string' ? reason : reasonOf(reason),
  };
}

/** The system's description of an error, without the path and the call that Node adds. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
}

/** The result of a call, or the error that it throws. */
export function tried<T>(call: () => T): T | Error {
  try {
    return call();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
