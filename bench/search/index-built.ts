import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 500;

/** Resolves when the server of a data directory has built its index of the search. */
export async function indexBuilt(dataDir: string): Promise<void> {
  const path = join(dataDir, 'search.sqlite');
  while (!isBuilt(path)) await sleep(EVERY_MS);
}

/** The file, its tables and its state come one after the other: until then it is not built. */
function isBuilt(path: string): boolean {
  let index: DatabaseSync | undefined;
  try {
    index = new DatabaseSync(path, { readOnly: true });
    const { value } = index.prepare('select value from state').get() ?? {};
    return value !== undefined && JSON.parse(String(value)).building === undefined;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('ERR_SQLITE')) return false;
    throw error;
  } finally {
    index?.close();
  }
}
