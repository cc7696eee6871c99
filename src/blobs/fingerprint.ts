import { createHash } from 'node:crypto';
import type { StoredBlob } from './blob-store.ts';

/** Size and digest of bytes that pass in pieces. */
export class Fingerprint {
  #size = 0;
  readonly #hash = createHash('sha256');

  add(bytes: Uint8Array): void {
    this.#size += bytes.byteLength;
    this.#hash.update(bytes);
  }

  /** What was added. To be asked once, at the end. */
  result(): StoredBlob {
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }
}
