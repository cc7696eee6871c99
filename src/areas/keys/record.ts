import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Principal } from '../../contract/principal.ts';
import { newId } from '../../platform/ids.ts';
import type { UserRef } from '../directory/service.ts';
import type { AccessRow, ApiKeyRow } from './key-store.ts';
import type { ApiKey, GivenKey } from './schema.ts';

const PREFIX = 'atr_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 34 base-62 characters have 202 random bits. */
const RANDOM_CHARACTERS = 34;
const CHECKSUM_CHARACTERS = 6;

/** A new API key: "atr_", 34 random base-62 characters and a checksum by which secret scanners recognize a key. */
export function newSecret(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    '',
  );
  return PREFIX + random + checksum(random);
}

/** The stored form of a key: SHA-256, lower-case hex. */
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

/** The key as the API shows it. */
export function keyRecord(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    user_id: row.user_id,
    permissions: JSON.parse(row.permissions),
    created_at: new Date(row.created_at).toISOString(),
    ...(row.expires_at !== null && { expires_at: new Date(row.expires_at).toISOString() }),
    ...(row.made_by !== null && { made_by: row.made_by }),
    ...(row.kind !== null && { kind: row.kind }),
  };
}

/** The row of a new key. A key made by a key expires with its maker, unless the request states an earlier time. */
export function newKeyRow(
  { workspaceId, userId }: UserRef,
  given: GivenKey,
  { secret, maker }: { secret: string; maker: Maker | undefined },
): ApiKeyRow {
  return {
    workspace_id: workspaceId,
    id: newId('key'),
    user_id: userId,
    name: given.name,
    secret_hash: hashOf(secret),
    permissions: JSON.stringify(given.permissions),
    created_at: Date.now(),
    expires_at: given.expires_at === undefined ? (maker?.expires_at ?? null) : Date.parse(given.expires_at),
    revoked_at: null,
    made_by: maker?.id ?? null,
    kind: null,
  };
}

/**
 * The row of a session that lasts so many milliseconds, or until its maker ends. The hash of its secret is none: only
 * its tokens reach it.
 */
export function newSessionRow(
  { workspaceId, userId }: UserRef,
  { permissions, maker }: { permissions: string; maker: Maker | undefined },
  lastsMs: number,
): ApiKeyRow {
  const id = newId('key');
  const now = Date.now();
  return {
    workspace_id: workspaceId,
    id,
    user_id: userId,
    name: 'Session of a browser',
    secret_hash: `session ${id}`,
    permissions,
    created_at: now,
    expires_at: Math.min(now + lastsMs, maker ? expiryOf(maker) : Number.POSITIVE_INFINITY),
    revoked_at: null,
    made_by: maker?.id ?? null,
    kind: 'session',
  };
}

/** The columns of the making key that a new key depends on. */
export type Maker = Pick<AccessRow, 'id' | 'expires_at'>;

export function principalOf(row: AccessRow): Principal {
  return {
    workspaceId: row.workspace_id,
    userId: row.user_id,
    keyId: row.id,
    permissions: new Set(JSON.parse(row.permissions)),
    expiresAt: expiryOf(row),
  };
}

/** When a key expires, in milliseconds since the epoch; Infinity for never. */
export function expiryOf({ expires_at: expiresAt }: Maker): number {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

export function isExpired(key: Maker): boolean {
  return expiryOf(key) <= Date.now();
}
