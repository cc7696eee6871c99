import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What tells one upload from another: where it goes, and the file as it is. */
export interface UploadedFile {
  path: string;
  url: string;
  folderId: string;
  size: number;
  modifiedAt: number;
}

/** Remembers in the data directory which upload belongs to which file, so that another run goes on with it. */
export class RememberedUploads {
  readonly #directory: string;

  constructor(dataDir: string) {
    this.#directory = join(dataDir, 'client-uploads');
  }

  /** The session of an upload of this very file; undefined where none is known, or the file has changed since. */
  async find(file: UploadedFile): Promise<string | undefined> {
    try {
      const { size, modifiedAt, sessionId } = JSON.parse(await readFile(this.#pathOf(file), 'utf8'));
      return size === file.size && modifiedAt === file.modifiedAt ? String(sessionId) : undefined;
    } catch {
      return undefined;
    }
  }

  async keep(file: UploadedFile, sessionId: string): Promise<void> {
    const path = this.#pathOf(file);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const { size, modifiedAt } = file;
    await writeFile(`${path}.new`, JSON.stringify({ size, modifiedAt, sessionId }), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async forget(file: UploadedFile): Promise<void> {
    await rm(this.#pathOf(file), { force: true });
  }

  #pathOf({ path, url, folderId }: UploadedFile): string {
    const name = createHash('sha256')
      .update(JSON.stringify([resolve(path), url, folderId]))
      .digest('hex');
    return join(this.#directory, `${name}.json`);
  }
}
