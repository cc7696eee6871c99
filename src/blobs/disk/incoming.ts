import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

// A process id comes back: in a container every start may have the same one. The second half tells the lives apart.
const THIS_PROCESS = `${process.pid}.${randomUUID()}`;

/** A new path in `directory` for content that is being written by this process. */
export function incomingPath(directory: string): string {
  return join(directory, `${THIS_PROCESS}.${randomUUID()}`);
}

/**
 * Removes what processes that are gone were writing. What another living process writes stays: a command may
 * run beside the server on the same directory.
 */
export async function sweepIncoming(directory: string): Promise<void> {
  const left = (await readdir(directory)).filter((name) => !isBeingWritten(name));
  await Promise.all(left.map((name) => rm(join(directory, name), { force: true })));
}

function isBeingWritten(name: string): boolean {
  if (name.startsWith(THIS_PROCESS)) return true;
  const writer = Number(name.split('.', 1)[0]);
  return writer !== process.pid && isAlive(writer);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
