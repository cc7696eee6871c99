import { DOCUMENTS_BLOBS } from '../areas/documents/revision-store.ts';
import { FILES_BLOBS } from '../areas/drive/node-store.ts';
import { MAIL_BLOBS } from '../areas/mail/messages/content-store.ts';
import type { BlobOwner } from '../storage/blob-owner.ts';
import type { ReadTransaction } from '../storage/database.ts';
import { type Cell, type TableShape, valueIn } from '../storage/schema/table-rows.ts';

/** Every table whose rows have a blob for their content. */
export const BLOB_OWNERS: readonly BlobOwner[] = [MAIL_BLOBS, FILES_BLOBS, DOCUMENTS_BLOBS];

/** A row that has a blob for its content: its table, and what says which it is. */
interface ReferringRow {
  owner: BlobOwner;
  values: readonly Cell[];
}

/** A blob that rows refer to. */
export interface ReferencedBlob {
  key: string;
  /** Bytes that a row says it has; undefined where none does. */
  size: number | undefined;
  rows: ReferringRow[];
}

/** The blobs that rows refer to, gathered as the rows go by. */
export class ReferencedBlobs {
  readonly #found = new Map<string, ReferencedBlob>();

  get all(): readonly ReferencedBlob[] {
    return [...this.#found.values()];
  }

  /** Whose rows refer to blobs; undefined where the rows of a table refer to none. */
  static ownerIn(table: string): BlobOwner | undefined {
    return BLOB_OWNERS.find((owner) => owner.table === table);
  }

  /** Forgets them: a transaction runs again. */
  clear(): void {
    this.#found.clear();
  }

  /** Takes note of what rows of a table refer to. */
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

/** What its bytes, as they were read, tell of a blob: undefined where they are those that came in, as far as is known. */
export function damageOf(
  { size }: ReferencedBlob,
  checksum: number | undefined,
  read: { size: number; checksum: number },
): string | undefined {
  if (size !== undefined && read.size !== size) return `has ${read.size} bytes, and not ${size}`;
  if (checksum !== undefined && read.checksum !== checksum) return 'has other bytes than came in';
  return undefined;
}

/** Whose a blob is, such as "file file_…"; of several that refer to it, each. */
export async function ownersOf(tx: ReadTransaction, { rows }: ReferencedBlob): Promise<string[]> {
  const names: string[] = [];
  for (const { owner, values } of rows) names.push(await owner.name(tx, values));
  return names;
}
