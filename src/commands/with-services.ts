import { type CursorPosition, JsonText, type Page, type PageRequest } from '../contract/answers.ts';
import { openServices, type Services } from '../start/composition.ts';
import { readConfig } from '../start/config.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { workspaceNamed } from './lookups.ts';

/** Runs work with the services on the storage that the settings name, beside whatever server runs on it. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const services = await openServices(readConfig());
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

/** Reads in the workspace that --workspace names, or in the only one. */
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

/** Writes in the workspace that --workspace names, or in the only one. */
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

/** Every item of a listing, read page by page. */
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
