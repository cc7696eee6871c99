/**
 * Loaded into a server before anything else of it: its parent tells it what time it is, and how its disk behaves. The
 * server itself knows nothing of it.
 */
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** How the process is to see its machine; all of it at once. */
export interface Conditions {
  /** Milliseconds that its clock is ahead of the true one. */
  clockAheadMs: number;
  /** How much longer each sync of a file takes. */
  syncTakesMs: number;
  /** Syncs fail, as those of a disk do that is full. */
  syncFails: boolean;
}

export const ORDINARY: Conditions = { clockAheadMs: 0, syncTakesMs: 0, syncFails: false };

let conditions = ORDINARY;

function bendClock(): void {
  const True = Date;
  const now = () => True.now() + conditions.clockAheadMs;
  globalThis.Date = new Proxy(True, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
    apply: () => new True(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

async function beforeSync(): Promise<void> {
  const { syncTakesMs, syncFails } = conditions;
  await pause(syncTakesMs);
  if (syncFails) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

async function bendDisk(): Promise<void> {
  const file = await fsPromises.open('/dev/null');
  const handles = Object.getPrototypeOf(file) as fsPromises.FileHandle;
  await file.close();
  const { datasync, sync } = handles;
  const { fdatasync } = fs;
  handles.datasync = function (this: fsPromises.FileHandle) {
    return beforeSync().then(() => datasync.call(this));
  };
  handles.sync = function (this: fsPromises.FileHandle) {
    return beforeSync().then(() => sync.call(this));
  };
  const bent = (fd: number, done: (error: Error | null) => void) =>
    void beforeSync().then(() => fdatasync(fd, done), done);
  fs.fdatasync = bent as typeof fs.fdatasync;
  syncBuiltinESMExports();
}

if (isMainThread && process.send) {
  bendClock();
  await bendDisk();
  process.on('message', (told: Conditions) => {
    conditions = told;
  });
  process.channel?.unref();
}
