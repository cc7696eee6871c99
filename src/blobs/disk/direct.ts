import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { ALIGNMENT, withBlock } from './write-blocks.ts';

/** Which other systems than Linux do not have. */
const { O_DIRECT = 0 } = constants as { O_DIRECT?: number };

/**
 * O_DIRECT where the file system takes bytes past the page cache, otherwise nothing: also where it takes none at all now,
 * as those who write will hear. `path` is free to try it.
 */
export async function directFlag(path: string): Promise<number> {
  if (O_DIRECT === 0) return 0;
  try {
    await withBlock((block) => tryOut(path, block.subarray(0, ALIGNMENT)));
    return O_DIRECT;
  } catch {
    return 0;
  } finally {
    await rm(path, { force: true });
  }
}

async function tryOut(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | O_DIRECT, 0o600);
  await file.write(bytes).finally(() => file.close());
}
