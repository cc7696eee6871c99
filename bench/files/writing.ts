/** The ceiling of every upload: the same bytes written and synced by a script, without a server. */
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { eachFile, eachPart, LARGE_FILE, PART, SMALL_FILE } from './uploading.ts';

/** Writes the large file in parts, each synced. */
export async function writeInParts(directory: string): Promise<void> {
  const file = await open(join(directory, randomUUID()), 'wx');
  await eachPart(LARGE_FILE, async (number) => {
    await file.write(PART, 0, PART.length, number * PART.length);
    await file.datasync();
  });
  await file.close();
}

/** Writes the small files, each synced. */
export function writeFiles(directory: string): Promise<void> {
  return eachFile(async () => {
    const file = await open(join(directory, randomUUID()), 'wx');
    await file.write(SMALL_FILE);
    await file.sync();
    await file.close();
  });
}
