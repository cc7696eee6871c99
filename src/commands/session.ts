import { openProduct, type Product } from '../start/composition.ts';
import { readConfig } from '../start/config.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { workspaceNamed } from './named.ts';

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
export function readIn<T>(
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
export function writeIn<T>(
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
