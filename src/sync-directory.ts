import { open } from 'node:fs/promises';

/** Makes the names of the files and directories in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}
