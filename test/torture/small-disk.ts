import { spawnSync } from 'node:child_process';
import { statfs } from 'node:fs/promises';

/** A file system of its own that can be made to have no room. */
export interface SmallDisk {
  fill(): Promise<void>;
  makeRoom(): void;
  unmount(): void;
}

const ROOM = '4g';
/** As small as what is on it, to the page. */
const PAGE = 4_096;
const MOST_TRIES = 1_000;

/** Mounts one on an empty directory; undefined where the system does not let us. */
export function mountSmallDisk(directory: string): SmallDisk | undefined {
  if (!mount('-t', 'tmpfs', '-o', `size=${ROOM}`, 'atrium-torture', directory)) return undefined;
  const unmount = () => void spawnSync('umount', [directory], { stdio: 'ignore' });
  process.once('exit', unmount);
  return {
    fill: async () => {
      // The system refuses a size below what others have written since it was asked for.
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const { blocks, bfree, bsize } = await statfs(directory);
        const size = Math.max(PAGE, (blocks - bfree) * bsize);
        if (mount('-o', `remount,size=${size}`, directory)) return;
      }
      throw new Error('The disk is never full');
    },
    makeRoom: () => {
      // Otherwise what stands on it would never recover, and nobody would know why.
      if (!mount('-o', `remount,size=${ROOM}`, directory)) throw new Error('The disk stays full');
    },
    unmount,
  };
}

function mount(...args: string[]): boolean {
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
}
