import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeDirectory, syncDirectory } from '../platform/directories.ts';

/** A backup cannot be made there, or cannot be used. The message gives the reason. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The path of a file of a backup. */
export function manifestPath(directory: string): string {
  return join(directory, 'manifest.json');
}

export function tablesDirectory(directory: string): string {
  return join(directory, 'tables');
}

export function tablePath(directory: string, table: string): string {
  return join(tablesDirectory(directory), `${table}.jsonl`);
}

export function blobListPath(directory: string): string {
  return join(directory, 'blobs.jsonl');
}

export function blobsDirectory(directory: string): string {
  return join(directory, 'blobs');
}

export function blobPath(directory: string, key: string): string {
  return join(blobsDirectory(directory), key);
}

const OWNER_ONLY = { file: 0o600, directory: 0o700 };

/** This file exists from the beginning of a backup until it is complete. It contains the host and the process that write it. */
const MARK = 'incomplete';

/**
 * Creates the directory of a backup. It must be new or empty, or contain an aborted backup, which is removed; nothing
 * else is ever removed. Rejects with ArchiveError.
 */
export async function beginBackup(directory: string): Promise<void> {
  await makeBackupDirectory(directory);
  const found = await readdir(directory);
  if (found.includes(MARK) && !found.includes('manifest.json')) await removeBrokenOff(directory);
  else if (found.length > 0)
    throw new ArchiveError(`${directory} is not empty. Name a directory of its own for each backup.`);
  await writeNew(join(directory, MARK), `${hostname()} ${process.pid}\n`);
  for (const path of [tablesDirectory(directory), blobsDirectory(directory)])
    await mkdir(path, { mode: OWNER_ONLY.directory });
}

async function makeBackupDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
  } catch (cause) {
    throw new ArchiveError(`${directory} cannot be made a directory. Name a place where you may write.`, {
      cause,
    });
  }
}

async function removeBrokenOff(directory: string): Promise<void> {
  const [host, process] = (await readFile(join(directory, MARK), 'utf8')).trim().split(' ');
  if (host !== undefined && process !== undefined) refuseBusy(directory, host, Number(process));
  const left = [tablesDirectory(directory), blobsDirectory(directory), blobListPath(directory)];
  // The mark is removed last: until then it shows that the other files come from an aborted backup.
  for (const path of [...left, incomingManifest(directory), join(directory, MARK)])
    await rm(path, { recursive: true, force: true });
  if ((await readdir(directory)).length > 0)
    throw new ArchiveError(
      `${directory} holds more than a backup that broke off. Name a directory of its own for each backup.`,
    );
}

/** A process on another host (or in another container) cannot be checked from here. */
function refuseBusy(directory: string, host: string, pid: number): void {
  if (host !== hostname())
    throw new ArchiveError(
      `${directory} is being written by the process ${pid} on ${host}. Wait for it, or remove the directory if it has ended.`,
    );
  if (pid !== process.pid && isAlive(pid))
    throw new ArchiveError(
      `${directory} is being written by the process ${pid}. Wait for it, or name another directory.`,
    );
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is alive, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function incomingManifest(directory: string): string {
  return `${manifestPath(directory)}.incoming`;
}

/** Writes the manifest last and atomically: only the manifest makes the directory a backup. */
export async function publishBackup(directory: string, manifest: string): Promise<void> {
  const incoming = incomingManifest(directory);
  await writeNew(incoming, manifest);
  for (const filled of [tablesDirectory(directory), blobsDirectory(directory)]) await syncDirectory(filled);
  await rename(incoming, manifestPath(directory));
  await syncDirectory(directory);
  await rm(join(directory, MARK));
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY.file);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Opening a pipe without a writer must not block. O_NONBLOCK has no effect on a regular file. */
const PLAIN_READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The bytes of a file of a backup. The backup may come from somebody else: a link could lead out of it, and a device or
 * pipe may never end. Rejects if it is not a regular file or cannot be read.
 */
export async function* bytesOfPlainFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, PLAIN_READING);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no regular file.`);
    yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>;
  } finally {
    await file.close();
  }
}

/** Rejects if a directory of a backup is missing, or is a link, which could lead to files outside of the backup. */
export async function requirePlainDirectory(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is no directory.`);
}
