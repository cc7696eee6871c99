import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The fingerprint by which a repeat of a request is told from another request under the same Idempotency-Key: SHA-256 of
 * method, path, query and body.
 */
export function fingerprintOf(method: string, pathAndQuery: string, body: Uint8Array): string {
  // In one call a digest takes a fraction of the time.
  return hash('sha256', Buffer.concat([Buffer.from(requestLine(method, pathAndQuery)), body]), 'base64url');
}

/**
 * The fingerprint of a request whose body is added as it arrives. Of a large body SHA-256 would take longer than everything
 * else that is done with it, so its length and CRC-32 stand for it: the check protects clients from mistakes of their own,
 * and nobody from an attacker.
 */
export class StreamedFingerprint {
  readonly #requestLine: string;
  #length = 0;
  #checksum = 0;

  constructor(method: string, pathAndQuery: string) {
    this.#requestLine = requestLine(method, pathAndQuery);
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#checksum = crc32(chunk, this.#checksum);
  }

  /** Of what was added so far. */
  digest(): string {
    return hash('sha256', `${this.#requestLine}${this.#length} ${this.#checksum}`, 'base64url');
  }
}

function requestLine(method: string, pathAndQuery: string): string {
  return `${method} ${pathAndQuery}\n`;
}
