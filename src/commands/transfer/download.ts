import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Atrium } from '../../../client/src/atrium.ts';
import type { FileRecord } from '../../../client/src/generated/areas.ts';
import { show } from '../output.ts';
import { ProgressLine, TransferMeter, type TransferProgress } from '../progress.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface DownloadOptions extends ConnectionOptions {
  output?: string;
}

export function addDownloadCommand(program: Command): void {
  const command = program
    .command('download')
    .description('Download a file from a server; run again after a break, it goes on where it stopped')
    .argument('<id>')
    .option('-o, --output <path>', 'where to put it; default: its own name in this directory');
  withConnectionOptions(command).action(download);
}

async function download(id: string, options: DownloadOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const progress = { done: 0, total: 0 };
  const meter = new TransferMeter();
  const line = new ProgressLine(() => meter.text(progress));
  try {
    const record = await downloadFile(atrium, id, options.output, progress);
    show(command, record, () => `Downloaded ${record.path} (${record.size_bytes} bytes).`);
  } finally {
    line.end();
  }
}

/** A file cannot be stored at its destination. */
class TargetExists extends Error {
  override readonly name = 'TargetExists';
}

/**
 * Downloads a file to `target`, or to its own name in the current directory. Bytes from an earlier run are not
 * downloaded again: the content of an id never changes. Returns the file's record and path.
 */
async function downloadFile(
  atrium: Atrium,
  id: string,
  target: string | undefined,
  progress: TransferProgress,
): Promise<FileRecord & { path: string }> {
  const record = await atrium.files.getFile(id);
  const path = target ?? ownName(record);
  const partial = `${path}.${record.id}.part`;
  const file = await open(partial, 'a', 0o600);
  try {
    progress.total = record.size_bytes;
    progress.done = await usableBytes(file, record.size_bytes);
    await bring(atrium, record, file, progress);
    await file.sync();
  } finally {
    await file.close();
  }
  await publish(partial, path, target !== undefined);
  return { ...record, path };
}

/** The base name only: a name that others chose must not lead out of the current directory. */
function ownName({ id, filename }: FileRecord): string {
  const name = basename(filename);
  return name === '' || name === '.' || name === '..' ? id : name;
}

async function bring(
  atrium: Atrium,
  { id, size_bytes: size }: FileRecord,
  file: FileHandle,
  progress: TransferProgress,
): Promise<void> {
  if (progress.done === size) return;
  const content = await atrium.files.download(id, { start: progress.done });
  if (content.start !== progress.done) await startAfresh(file, progress);
  for await (const chunk of content) {
    await file.writeFile(chunk);
    progress.done += chunk.length;
  }
}

/**
 * The size of the bytes from an earlier run. A file with more bytes than expected comes from elsewhere, and is
 * emptied.
 */
async function usableBytes(file: FileHandle, most: number): Promise<number> {
  const { size } = await file.stat();
  if (size <= most) return size;
  await file.truncate(0);
  return 0;
}

async function startAfresh(file: FileHandle, progress: TransferProgress): Promise<void> {
  await file.truncate(0);
  progress.done = 0;
}

/** Replaces an existing file where the user has named the path; never replaces one under the file's own name. */
async function publish(partial: string, path: string, replaces: boolean): Promise<void> {
  if (replaces) return rename(partial, path);
  try {
    await link(partial, path);
    await rm(partial);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new TargetExists(`There is a file ${path} already; name another with --output.`, { cause });
  }
}
