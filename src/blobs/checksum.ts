import { crc32 } from 'node:zlib';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { insertion } from '../storage/query/insertion.ts';
import { statement } from '../storage/query/statement.ts';
import type { NotedBlob } from './pending-store.ts';

/** The polynomial of CRC-32 (ISO 3309), its lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/**
 * Computes the CRC-32 of streamed content. It detects bytes corrupted on disk at negligible cost, and the checksum of a
 * blob can be computed from those of its parts, which arrive in any order. Backups use SHA-256.
 */
export class Checksum {
  #value = 0;

  /** The checksum of the content so far. */
  get value(): number {
    return this.#value;
  }

  /** Yields the content unchanged and adds it to the checksum. */
  async *of(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.#value = crc32(chunk, this.#value);
      yield chunk;
    }
  }
}

/** The CRC-32 of the concatenation of all parts; sizes in bytes. */
export function checksumOfParts(parts: readonly { size: number; checksum: number }[]): number {
  // All parts but the last have equal size: powers are cached by size.
  const powers = new Map<number, number>();
  return parts.reduce((all, { size, checksum }) => {
    const power = powers.getOrInsertComputed(size, () => powerOf(8 * size));
    return (product(power, all) ^ checksum) >>> 0;
  }, 0);
}

/** x to the power of `bits` modulo the polynomial: multiplication by it shifts a checksum by so many bits. */
function powerOf(bits: number): number {
  let power = ONE;
  let factor = ONE >>> 1;
  for (let rest = bits; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(power, factor);
    factor = product(factor, factor);
  }
  return power;
}

/** The product of two polynomials over GF(2), modulo the polynomial. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let power = ONE; power !== 0; power >>>= 1) {
    if ((a & power) !== 0) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum >>> 0;
}

const insert = insertion('blob_checksums');

/** Stores the checksum of a blob, in the transaction of the row that takes the blob over. */
export async function saveChecksum(
  tx: WriteTransaction,
  { workspaceId, blobKey }: NotedBlob,
  checksum: number,
): Promise<void> {
  await insert(tx, { workspace_id: workspaceId, blob_key: blobKey, checksum });
}

const byKey = statement((tx, p: { blobKey: string }) =>
  tx.selectFrom('blob_checksums').select('checksum').where('blob_key', '=', p.blobKey),
);

/** The checksum of the bytes of a blob as received, by whichever workspace; undefined when none was stored. */
export async function findChecksum(tx: ReadTransaction, blobKey: string): Promise<number | undefined> {
  const [row] = await byKey(tx, { blobKey });
  return row?.checksum;
}

/** Removes the checksum of a blob that no row names any more. */
export async function removeChecksum(
  tx: WriteTransaction,
  { workspaceId, blobKey }: NotedBlob,
): Promise<void> {
  await tx
    .deleteFrom('blob_checksums')
    .where('workspace_id', '=', workspaceId)
    .where('blob_key', '=', blobKey)
    .execute();
}

/** The same, whichever workspace took the blob in. */
export async function removeChecksumAnywhere(tx: WriteTransaction, blobKey: string): Promise<void> {
  await tx.deleteFrom('blob_checksums').where('blob_key', '=', blobKey).execute();
}
