import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { FileRecord } from '../../../client/src/generated/areas.ts';
import type { UploadSource } from '../../../client/src/upload.ts';
import { show } from '../output.ts';
import { ProgressLine, TransferMeter, type TransferProgress } from '../progress.ts';
import { type Connection, type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface UploadOptions extends ConnectionOptions {
  folder: string;
}

export function addUploadCommand(program: Command): void {
  const command = program
    .command('upload')
    .description('Upload files to a server; run again after a break, it goes on where it stopped')
    .argument('<file...>')
    .option('--folder <id>', 'the file folder they go to; default: the root', '');
  withConnectionOptions(command).action(upload);
}

async function upload(paths: string[], options: UploadOptions, command: Command): Promise<void> {
  const connection = await connect(options);
  const progress = { done: 0, total: 0 };
  const meter = new TransferMeter();
  const line = new ProgressLine(() => meter.text(progress));
  const records: FileRecord[] = [];
  try {
    for (const path of paths) records.push(await uploadFile(connection, path, options.folder, progress));
  } finally {
    line.end();
  }
  show(command, records, () => records.map(sentence).join('\n'));
}

function sentence({ id, filename, size_bytes: size }: FileRecord): string {
  return `Uploaded ${filename} (${size} bytes) as ${id}.`;
}

/** The file has changed since its first parts were sent. */
class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** Uploads a file; continues an earlier run, unless the file has changed. */
async function uploadFile(
  { atrium, url, dataDir }: Connection,
  path: string,
  folderId: string,
  progress: TransferProgress,
): Promise<FileRecord> {
  const handle = await open(path);
  try {
    const file = { ...(await stateOf(handle)), path, url, folderId };
    const remembered = new RememberedUploads(dataDir);
    const session = await remembered.find(file);
    const before = progress.done;
    progress.total += file.size;
    const record = await atrium.files.upload(sourceOf(handle, file), {
      filename: basename(path),
      folderId,
      ...(session !== undefined && { session }),
      onSession: (id) => remembered.keep(file, id),
      onProgress: ({ done }) => {
        progress.done = before + done;
      },
    });
    await remembered.forget(file);
    return record;
  } finally {
    await handle.close();
  }
}

function sourceOf(handle: FileHandle, file: UploadedFile): UploadSource {
  return {
    size: file.size,
    read: (start, end) => readWhole(handle, start, end),
    confirm: () => refuseChanged(handle, file),
  };
}

async function stateOf(handle: FileHandle): Promise<{ size: number; modifiedAt: number }> {
  const found = await handle.stat();
  if (!found.isFile()) throw new Error('Only files can be uploaded.');
  return { size: found.size, modifiedAt: found.mtimeMs };
}

async function readWhole(handle: FileHandle, start: number, end: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.alloc(end - start);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new FileChanged('The file has become shorter while it was uploaded.');
    done += bytesRead;
  }
  return bytes;
}

async function refuseChanged(handle: FileHandle, { size, modifiedAt }: UploadedFile): Promise<void> {
  const now = await stateOf(handle);
  if (now.size === size && now.modifiedAt === modifiedAt) return;
  throw new FileChanged('The file has changed while it was uploaded; upload it again.');
}

/** The identity of an upload: its destination, and the state of the file. */
interface UploadedFile {
  path: string;
  url: string;
  folderId: string;
  size: number;
  modifiedAt: number;
}

/** Records in the data directory which upload belongs to which file, so another run can continue it. */
class RememberedUploads {
  readonly #directory: string;

  constructor(dataDir: string) {
    this.#directory = join(dataDir, 'client-uploads');
  }

  /** The session of the upload of this file; undefined where none is recorded, or the file has changed since. */
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
