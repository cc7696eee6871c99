import type { ReadTransaction } from './database.ts';
import type { Cell } from './schema/table-rows.ts';

/** A table whose rows name blobs in `blob_key`, and how people are told whose a blob is. */
export interface BlobOwner {
  readonly table: string;
  /** The columns that say whose it is. */
  readonly columns: readonly string[];
  /** Such as "file file_…", by the values of these columns. */
  name(tx: ReadTransaction, values: readonly Cell[]): Promise<string>;
}
