import { type CursorPosition, JsonText, type Page, type PageRequest } from '../api/answers.ts';
import { openProduct, type Product } from '../start/composition.ts';
import { readConfig } from '../start/config.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { workspaceNamed } from './lookups.ts';

/** Runs work on the product that the settings name, beside whatever server runs on it. */
export async function withProduct<T>(work: (product: Product) => Promise<T>): Promise<T> {
  const product = await openProduct(readConfig());
  try {
    return await work(product);
  } finally {
    await product.close();
  }
}

/** Reads in the workspace that --workspace names, or in the only one. */
export function readInWorkspace<T>(
  workspace: string | undefined,
  work: (tx: ReadTransaction, workspaceId: string, product: Product) => Promise<T>,
): Promise<T> {
  return withProduct((product) =>
    product.database.read(async (tx) => {
      const { id } = await workspaceNamed(tx, product.directory, workspace);
      return work(tx, id, product);
    }),
  );
}

/** Writes in the workspace that --workspace names, or in the only one. */
export function writeInWorkspace<T>(
  workspace: string | undefined,
  work: (tx: WriteTransaction, workspaceId: string, product: Product) => Promise<T>,
): Promise<T> {
  return withProduct((product) =>
    product.database.write(async (tx) => {
      const { id } = await workspaceNamed(tx, product.directory, workspace);
      return work(tx, id, product);
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
