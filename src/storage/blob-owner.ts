import type { ReadTransaction } from './database.ts';
import type { Cell } from './schema/table-rows.ts';

/** A table whose rows refer to blobs by `blob_key`, and the display name of the owner of a blob. */
export interface BlobOwner {
  readonly table: string;
  /** The columns that identify the owner. */
  readonly columns: readonly string[];
  /** The display name for these column values, e.g. "file file_…". */
  name(tx: ReadTransaction, values: readonly Cell[]): Promise<string>;
}
