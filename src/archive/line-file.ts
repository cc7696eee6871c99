import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { ArchiveError, bytesOfPlainFile } from './backup-directory.ts';

const OWNER_ONLY = 0o600;
/** UTF-16 units: more than the largest row, less than the maximum length of a string. */
const MAX_LINE = 256 * 1024 * 1024;

/** A file of JSON values, one per line, that is written once. */
export class LineFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #lines = 0;
  #written: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates the file, or truncates it. */
  static async create(path: string): Promise<LineFile> {
    return new LineFile(await open(path, 'w', OWNER_ONLY));
  }

  /** Concurrent calls are allowed: the lines are written, and digested, in the order of the calls. */
  write(values: readonly unknown[]): Promise<void> {
    if (values.length === 0) return this.#written;
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    this.#hash.update(text);
    this.#lines += values.length;
    this.#written = this.#written.then(() => this.#file.writeFile(text));
    return this.#written;
  }

  /** Makes the file durable. Returns the number of its lines and the SHA-256 of its bytes, as hex. */
  async close(): Promise<{ lines: number; sha256: string }> {
    try {
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
    return { lines: this.#lines, sha256: this.#hash.digest('hex') };
  }
}

/** The values of such a file, line by line. Throws ArchiveError at its end if its digest does not match. */
export async function* readLines(path: string, sha256: string): AsyncGenerator<unknown> {
  const hash = createHash('sha256');
  // Chunks of the unfinished line. They are kept apart so that the line is not scanned again with each chunk.
  let pieces: string[] = [];
  let length = 0;
  for await (const text of textOf(path, hash)) {
    const [first = '', ...further] = text.split('\n');
    pieces.push(first);
    length += first.length;
    if (length > MAX_LINE) throw new ArchiveError(`${path} is damaged: a line is too long.`);
    const last = further.pop();
    if (last === undefined) continue;
    yield parse(pieces.join(''), path);
    for (const line of further) yield parse(line, path);
    pieces = [last];
    length = last.length;
  }
  if (length > 0 || hash.digest('hex') !== sha256)
    throw new ArchiveError(`${path} is damaged: its digest is another.`);
}

async function* textOf(path: string, hash: Hash): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of bytesOfPlainFile(path)) {
      hash.update(chunk);
      yield decoder.write(chunk);
    }
  } catch (cause) {
    throw new ArchiveError(`${path} cannot be read.`, { cause });
  }
}

function parse(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new ArchiveError(`${path} is damaged: a line is not JSON.`, { cause });
  }
}
