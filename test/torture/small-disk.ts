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

/** Mounts one on an empty directory; undefined where the system does not let us. */
export function mountSmallDisk(directory: string): SmallDisk | undefined {
  if (!mount('-t', 'tmpfs', '-o', `size=${ROOM}`, 'atrium-torture', directory)) return undefined;
  const unmount = () => void spawnSync('umount', [directory], { stdio: 'ignore' });
  process.once('exit', unmount);
  return {
    fill: async () => {
      const { blocks, bfree, bsize } = await statfs(directory);
      mount('-o', `remount,size=${Math.max(PAGE, (blocks - bfree) * bsize)}`, directory);
    },
    makeRoom: () => void mount('-o', `remount,size=${ROOM}`, directory),
    unmount,
  };
}

function mount(...args: string[]): boolean {
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
}
