import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { makeDirectory } from '../../platform/directories.ts';
import { namingFile, writeFileFrom } from './export-output.ts';

/** The description of one path of an export. */
export interface IndexEntry {
  path: string;
  type: 'mail_folder' | 'address_book' | 'calendar' | 'file_folder' | 'file' | 'document' | 'spreadsheet';
  /** The record as the API shows it. */
  record: object;
}

/** The totals written so far. */
export interface ExportProgress {
  files: number;
  bytes: number;
}

const INDEX = 'index.json';

/** The target directory of an export. Only the user who runs the command may read its contents. */
export class ExportTarget {
  readonly progress: ExportProgress = { files: 0, bytes: 0 };
  readonly #directory: string;
  readonly #index: FileHandle;
  #entries = 0;

  private constructor(directory: string, index: FileHandle) {
    this.#directory = directory;
    this.#index = index;
  }

  /** Creates the directory where it is missing. Rejects with InvalidArgumentError where it is not empty. */
  static async open(directory: string): Promise<ExportTarget> {
    await makeDirectory(directory);
    if ((await readdir(directory)).length > 0) {
      throw new InvalidArgumentError(`${directory} is not empty; name a new or an empty directory.`);
    }
    return new ExportTarget(directory, await open(join(directory, INDEX), 'wx', 0o600));
  }

  async makeDirectory(path: string): Promise<void> {
    await mkdir(join(this.#directory, path), { recursive: true, mode: 0o700 });
  }

  /** Writes a file into an existing directory, and adds it to the index. */
  async write(entry: IndexEntry, content: AsyncIterable<Uint8Array | string> | Uint8Array): Promise<void> {
    const source = content instanceof Uint8Array ? [content] : content;
    await writeFileFrom(this.#counted(source), join(this.#directory, entry.path), 'wx');
    this.progress.files++;
    await this.note(entry);
  }

  /** Adds a line to the index. */
  async note(entry: IndexEntry): Promise<void> {
    const before = this.#entries++ === 0 ? '' : ',\n';
    await this.#toIndex(`${before}${JSON.stringify(entry)}`);
  }

  /**
   * Begins the index: it is valid JSON only after `finish`, so an incomplete export is not mistaken for a complete
   * one.
   */
  async begin(user: object): Promise<void> {
    await this.#toIndex(`{"user":${JSON.stringify(user)},"entries":[\n`);
  }

  async finish(): Promise<void> {
    await this.#toIndex('\n]}\n');
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  #toIndex(text: string): Promise<void> {
    return namingFile(join(this.#directory, INDEX), this.#index.writeFile(text));
  }

  async *#counted(
    content: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array | string> {
    for await (const chunk of content) {
      this.progress.bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  }
}
