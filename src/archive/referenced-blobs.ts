import { DOCUMENTS_BLOBS } from '../areas/documents/revision-store.ts';
import { FILES_BLOBS } from '../areas/drive/node-store.ts';
import { MAIL_BLOBS } from '../areas/mail/messages/content-store.ts';
import { SAVED_ATTACHMENTS_BLOBS } from '../areas/mail/messages/saved-attachment-store.ts';
import type { BlobOwner } from '../storage/blob-owner.ts';
import type { ReadTransaction } from '../storage/database.ts';
import { type Cell, type TableShape, valueIn } from '../storage/schema/table-rows.ts';

/** All tables whose rows may refer to a blob for their content. */
export const BLOB_OWNERS: readonly BlobOwner[] = [
  MAIL_BLOBS,
  SAVED_ATTACHMENTS_BLOBS,
  FILES_BLOBS,
  DOCUMENTS_BLOBS,
];

/** A row that refers to a blob: its table and the values that identify the row. */
interface ReferringRow {
  owner: BlobOwner;
  values: readonly Cell[];
}

/** A blob that rows refer to. */
export interface ReferencedBlob {
  key: string;
  /** The size in bytes according to a row; undefined if no row contains it. */
  size: number | undefined;
  rows: ReferringRow[];
}

/** Collects the blobs that rows refer to. */
export class ReferencedBlobs {
  readonly #found = new Map<string, ReferencedBlob>();

  get all(): readonly ReferencedBlob[] {
    return [...this.#found.values()];
  }

  /** The blob owner of a table; undefined if its rows never refer to blobs. */
  static ownerIn(table: string): BlobOwner | undefined {
    return BLOB_OWNERS.find((owner) => owner.table === table);
  }

  /** Removes all blobs, when a transaction is retried. */
  clear(): void {
    this.#found.clear();
  }

  /** Adds the blobs that rows of a table refer to. */
  add(shape: Pick<TableShape, 'name' | 'columns'>, rows: readonly (readonly Cell[])[]): void {
    const owner = ReferencedBlobs.ownerIn(shape.name);
    if (!owner) return;
    for (const row of rows) {
      const key = valueIn(shape, row, 'blob_key');
      if (typeof key !== 'string') continue;
      const size = valueIn(shape, row, 'size');
      const blob = this.#found.get(key) ?? { key, size: undefined, rows: [] };
      if (typeof size === 'number') blob.size = size;
      blob.rows.push({ owner, values: owner.columns.map((column) => valueIn(shape, row, column)) });
      this.#found.set(key, blob);
    }
  }
}

/** How the bytes that were read differ from the stored ones; undefined if no difference is known. */
export function damageOf(
  { size }: ReferencedBlob,
  checksum: number | undefined,
  read: { size: number; checksum: number },
): string | undefined {
  if (size !== undefined && read.size !== size) return `has ${read.size} bytes, and not ${size}`;
  if (checksum !== undefined && read.checksum !== checksum) return 'has other bytes than came in';
  return undefined;
}

/** The names of all owners of a blob, such as "file file_…". */
export async function ownersOf(tx: ReadTransaction, { rows }: ReferencedBlob): Promise<string[]> {
  const names: string[] = [];
  for (const { owner, values } of rows) names.push(await owner.name(tx, values));
  return names;
}
