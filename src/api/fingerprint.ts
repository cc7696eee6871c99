import { type CipherGCM, createCipheriv, hash } from 'node:crypto';
import type { IdempotencyScope } from './idempotency-store.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;

/** What a request is known by when it comes again: "method, path, query, and a digest of the raw body". */
export function fingerprintOf(method: string, pathAndQuery: string, body: Buffer): string {
  // In one go a digest takes a fraction of the time.
  return hash('sha256', Buffer.concat([Buffer.from(beginning(method, pathAndQuery)), body]), 'base64url');
}

/**
 * The fingerprint of a request whose raw body is added as it arrives. SHA-256 would take longer than anything else that is
 * done with a large body here; this is a GMAC (NIST SP 800-38D), which takes a sixth. Who does not know the secret finds no
 * two bodies of one fingerprint, and since each key of each client has a nonce of its own, fingerprints that somebody reads
 * in the database do not help with others.
 */
export class BodyFingerprint {
  readonly #mac: CipherGCM;

  /** @param secret 32 bytes that all nodes share. */
  constructor(secret: Buffer, scope: IdempotencyScope, method: string, pathAndQuery: string) {
    const { keyId, idempotencyKey } = scope;
    const request = `${keyId} ${idempotencyKey} ${beginning(method, pathAndQuery)}`;
    this.#mac = createCipheriv(ALGORITHM, secret, hash('sha256', request, 'buffer').subarray(0, NONCE_BYTES));
  }

  add(chunk: Uint8Array): void {
    this.#mac.setAAD(chunk);
  }

  /** Nothing can be added after that. */
  digest(): string {
    this.#mac.final();
    return this.#mac.getAuthTag().toString('base64url');
  }
}

function beginning(method: string, pathAndQuery: string): string {
  return `${method} ${pathAndQuery}\n`;
}
