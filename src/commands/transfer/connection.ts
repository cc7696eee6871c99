import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Command } from 'commander';
import { Atrium } from '../../../client/src/atrium.ts';
import { ConnectionError } from '../../../client/src/errors.ts';
import { type ClientConfig, ConfigError, readClientConfig } from '../../start/config.ts';
import { endsAtClient, isProof, newNonce, proofOf, readOwnerKey } from '../../start/owner-proof.ts';

export interface ConnectionOptions {
  url?: string;
  key?: string;
}

/** A server, and the directory where a command may store its state. */
export interface Connection {
  url: string;
  atrium: Atrium;
  /** Where the server is asked, and with which key. */
  target: { address: string; key: string };
  dataDir: string;
}

/** Adds the options that select the server and the key. */
export function withConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the server; default: ATRIUM_URL, else the one that the settings start')
    .option(
      '--key <key>',
      'an API key; default: ATRIUM_KEY, else that of the owner, for the server whose data directory holds it',
    );
}

/**
 * The server of the options and settings. Rejects with ConfigError, or with ConnectionError when the server is asked
 * for its proof.
 */
export async function connect({ url, key }: ConnectionOptions): Promise<Connection> {
  const config = readClientConfig({
    ...(url !== undefined && { ATRIUM_URL: url }),
    ...(key !== undefined && { ATRIUM_KEY: key }),
  });
  if (config.certificate !== undefined) trust(config.certificate);
  const target =
    config.key === undefined ? await ownServer(config) : { address: config.url, key: config.key };
  return { url: config.url, atrium: new Atrium(target), target, dataDir: config.dataDir };
}

/** The own server may have a certificate that is not publicly trusted. */
function trust(certificate: string): void {
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}

/**
 * The own server and its owner's key. This key has every permission, so it is sent only to the server whose data
 * directory contains it, and never to another process that listens on its port.
 */
async function ownServer({ url, isOwn, dataDir }: ClientConfig): Promise<{ address: string; key: string }> {
  const wanted = 'ATRIUM_KEY must be set, or an API key be given with --key';
  if (!isOwn && !isHere(url)) {
    throw new ConfigError(`${wanted}: the one in the data directory is for a server on this machine.`);
  }
  const key = await readOwnerKey(dataDir);
  if (key === undefined) throw new ConfigError(`${wanted}.`);
  const address = await provenAddress(url, key);
  if (address !== undefined) return { address, key };
  throw new ConfigError(
    `${wanted}: what answers at ${url} does not show that it is the server of ${dataDir}, whose key was not sent. ATRIUM_URL, or --url, says where that is.`,
  );
}

function isHere(url: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

const WAIT_MS = 10_000;
/** Maximum number of characters of a valid answer. */
const MOST_CHARACTERS = 10_000;

/**
 * The address where a server has proved that it has the key. The proof is an HMAC of a new nonce and of both ends of
 * this connection: a relay has other ends. undefined without a valid proof. Rejects with ConnectionError.
 */
async function provenAddress(url: string, key: string): Promise<string | undefined> {
  const nonce = newNonce();
  const asked = new URL(`${url}/owner-proof?nonce=${nonce}`);
  const request = asked.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(WAIT_MS);
    const sent = request(asked, { agent: false, signal }, (answer) => {
      const ends = endsAtClient(answer.socket);
      const expected = proofOf(key, nonce, ends);
      const addressOf = (proof: string) =>
        isProof(proof, expected) ? atAddress(url, ends.server.address) : undefined;
      proofIn(answer).then((proof) => resolve(addressOf(proof)), reject);
    });
    sent.once('error', (cause) =>
      reject(new ConnectionError(`${url} cannot be reached: ${reasonOf(cause)}`, { cause })),
    );
    sent.end();
  });
}

/**
 * The same server at the address that gave the proof, because a name may have several addresses. With TLS, the name
 * stays: the certificate is for the name.
 */
function atAddress(url: string, address: string): string {
  if (url.startsWith('https:')) return url;
  const found = new URL(url);
  found.hostname = isIPv6(address) ? `[${address}]` : address;
  return found.href;
}

/** The proof in an answer; "" where there is none. */
async function proofIn(answer: AsyncIterable<Uint8Array>): Promise<string> {
  const body = await text(limited(answer));
  try {
    return String(JSON.parse(body).data.proof);
  } catch {
    return '';
  }
}

async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MOST_CHARACTERS) return;
    yield chunk;
  }
}

/** Where every address of a host refused the connection, Node's error has a code only. */
function reasonOf(error: Error): string {
  return error.message || String((error as NodeJS.ErrnoException).code);
}
