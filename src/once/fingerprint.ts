import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The fingerprint that distinguishes a repeated request from another request with the same Idempotency-Key: SHA-256 of
 * method, path, query and body.
 */
export function fingerprintOf(method: string, pathAndQuery: string, body: Uint8Array): string {
  // A single call of `hash` takes a fraction of the time of an incremental digest.
  return hash('sha256', Buffer.concat([Buffer.from(requestLine(method, pathAndQuery)), body]), 'base64url');
}

/**
 * The fingerprint of a request whose body is added as it arrives. SHA-256 of a large body would take longer than all
 * other work on it, so the fingerprint contains its length and CRC-32 instead: the check protects clients from their
 * own mistakes, not from attackers.
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

  /** The fingerprint of the body added so far. */
  digest(): string {
    return hash('sha256', `${this.#requestLine}${this.#length} ${this.#checksum}`, 'base64url');
  }
}

function requestLine(method: string, pathAndQuery: string): string {
  return `${method} ${pathAndQuery}\n`;
}
