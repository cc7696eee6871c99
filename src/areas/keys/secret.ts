import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'atr_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 34 characters of 62 are 202 random bits. */
const RANDOM_CHARACTERS = 34;
const CHECKSUM_CHARACTERS = 6;

/** A new API key: "atr_", 34 random base-62 characters and a checksum by which scanners tell a key from other text. */
export function newSecret(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    '',
  );
  return PREFIX + random + checksum(random);
}

/** What is stored of a key: SHA-256, lower-case hex. */
export function hashOf(secret: string): string {
  return hash('sha256', secret);
}

/** The CRC-32 of the random characters, in base 62, most significant digit first. */
function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
