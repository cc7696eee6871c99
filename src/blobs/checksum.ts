import { crc32 } from 'node:zlib';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { insertion } from '../storage/query/insertion.ts';
import { statement } from '../storage/query/statement.ts';

/** The polynomial of CRC-32 (ISO 3309), its lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/**
 * Takes the CRC-32 of content as it passes: it tells bytes that a disk has lost at a cost that nobody notices, and that of
 * a whole follows from those of its parts, in whatever order they came. Backups have SHA-256.
 */
export class Checksum {
  #value = 0;

  /** Of what has passed so far. */
  get value(): number {
    return this.#value;
  }

  /** The same content. */
  async *of(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.#value = crc32(chunk, this.#value);
      yield chunk;
    }
  }
}

/** The CRC-32 of all parts, one behind the other; a size is in bytes. */
export function checksumOfParts(parts: readonly { size: number; checksum: number }[]): number {
  // All parts but the last are equally long: of thousands, a power is not made for each.
  const powers = new Map<number, number>();
  return parts.reduce((all, { size, checksum }) => {
    const power = powers.getOrInsertComputed(size, () => powerOf(8 * size));
    return (product(power, all) ^ checksum) >>> 0;
  }, 0);
}

/** x to the power of `bits` modulo the polynomial: to multiply by it moves a checksum past so many bits. */
function powerOf(bits: number): number {
  let power = ONE;
  let factor = ONE >>> 1;
  for (let rest = bits; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(power, factor);
    factor = product(factor, factor);
  }
  return power;
}

/** Of two polynomials over GF(2), modulo the polynomial. */
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
export async function saveChecksum(tx: WriteTransaction, blobKey: string, checksum: number): Promise<void> {
  await insert(tx, { blob_key: blobKey, checksum });
}

const byKey = statement((tx, p: { blobKey: string }) =>
  tx.selectFrom('blob_checksums').select('checksum').where('blob_key', '=', p.blobKey),
);

/** The checksum of a blob as its bytes came in; undefined where none was stored. */
export async function findChecksum(tx: ReadTransaction, blobKey: string): Promise<number | undefined> {
  const [row] = await byKey(tx, { blobKey });
  return row?.checksum;
}
