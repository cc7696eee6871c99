import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { ownerKeyPath } from './data-directory.ts';

/** The address of one end of a connection. */
interface End {
  address: string;
  port: number;
}

/**
 * The two ends of one connection. Client and server see the same ends, unless an intermediary relays the connection.
 */
export interface Ends {
  client: End;
  server: End;
}

/** The form of the nonce that a client generates for each proof: 32 bytes in base64url. */
export const NONCE = /^[\w-]{43}$/;

/** The form of a generated key. A chosen key might be weak enough to guess from an observed proof. */
const GENERATED_KEY = /^atr_[\dA-Za-z]{40}$/;

export function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Proves possession of the owner's key without revealing it: a proof is valid for one nonce and one connection only.
 */
export function proofOf(key: string, nonce: string, { client, server }: Ends): string {
  const ends = [client, server].map(({ address, port }) => `${plain(address)} ${port}`);
  return createHmac('sha256', key)
    .update(['atrium owner proof', nonce, ...ends].join('\n'))
    .digest('base64url');
}

/** Whether a proof matches, in constant time. */
export function isProof(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The ends of a connection as its server sees them. */
export function endsAtServer(socket: Socket): Ends {
  return { client: remoteEnd(socket), server: localEnd(socket) };
}

/** The ends of a connection as its client sees them. */
export function endsAtClient(socket: Socket): Ends {
  return { client: localEnd(socket), server: remoteEnd(socket) };
}

/** The proof of a server for the key in its data directory; undefined where the directory has no generated key. */
export async function proveOwnerKey(dataDir: string, nonce: string, ends: Ends): Promise<string | undefined> {
  const key = await readOwnerKey(dataDir);
  return key !== undefined && GENERATED_KEY.test(key) ? proofOf(key, nonce, ends) : undefined;
}

/** The owner's key from the data directory; undefined where it cannot be read. */
export async function readOwnerKey(dataDir: string): Promise<string | undefined> {
  return readFile(ownerKeyPath({ dataDir }), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

function localEnd({ localAddress = '', localPort = 0 }: Socket): End {
  return { address: localAddress, port: localPort };
}

function remoteEnd({ remoteAddress = '', remotePort = 0 }: Socket): End {
  return { address: remoteAddress, port: remotePort };
}

/** A dual-stack socket reports an IPv4 address as IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}
