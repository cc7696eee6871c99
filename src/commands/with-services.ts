import { type CursorPosition, JsonText, type Page, type PageRequest } from '../contract/answers.ts';
import { openServices, type Services } from '../start/composition.ts';
import { readConfig } from '../start/config.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { workspaceNamed } from './lookups.ts';

/** Runs `work` with services on the storage of the settings; a server may run on it at the same time. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const services = await openServices(readConfig());
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

/** Reads in the workspace of --workspace, or in the only workspace. */
export function readInWorkspace<T>(
  workspace: string | undefined,
  work: (tx: ReadTransaction, workspaceId: string, services: Services) => Promise<T>,
): Promise<T> {
  return withServices((services) =>
    services.database.read(async (tx) => {
      const { id } = await workspaceNamed(tx, services.directory, workspace);
      return work(tx, id, services);
    }),
  );
}

/** Writes in the workspace of --workspace, or in the only workspace. */
export function writeInWorkspace<T>(
  workspace: string | undefined,
  work: (tx: WriteTransaction, workspaceId: string, services: Services) => Promise<T>,
): Promise<T> {
  return withServices((services) =>
    services.database.write(async (tx) => {
      const { id } = await workspaceNamed(tx, services.directory, workspace);
      return work(tx, id, services);
    }),
  );
}

const PAGE_SIZE = 100;

/** Every item of a listing, read page after page. */
export async function everyItem<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let after: CursorPosition | undefined;
  do {
    const { items, count, last } = await list({ limit: PAGE_SIZE, after });
    if (items instanceof JsonText) throw new TypeError('the listing is text, not records');
    all.push(...items);
    after = count === PAGE_SIZE ? last : undefined;
  } while (after);
  return all;
}
