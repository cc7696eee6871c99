import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text so that only who holds the secret reads it: the database alone reveals nothing. */
export function seal(text: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFrom(secret), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** Reads what `seal` wrote with the same secret. */
export function unseal(sealed: string, secret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyFrom(secret), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([
    decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]).toString();
}

function keyFrom(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'atrium sealed answer', 32));
}
