/** More nodes on the storage of a test application. */
import pino from 'pino';
import { openServices } from '../../src/start/composition.ts';
import type { Config } from '../../src/start/config.ts';
import { startServer } from '../../src/start/server.ts';
import { OWNER_KEY } from '../harness.ts';

/** A node as a client sees it. */
export interface Node {
  address: string;
  smtpAddress: string | undefined;
  stop(): Promise<void>;
}

/** Starts another node on the same storage; `settings` differ from those of the first. */
export async function startNode(config: Config, settings: Partial<Config> = {}): Promise<Node> {
  const itsConfig = { ...config, ...settings };
  return startServer(itsConfig, await openServices(itsConfig), pino({ level: 'silent' }));
}

/** A write with its key and what of the answer a repeat must get as well. */
export interface Write {
  path: string;
  body: string;
  idempotencyKey: string;
  method?: string;
  key?: string;
  contentType?: string;
}

export interface WriteAnswer {
  status: number;
  text: string;
  replayed: boolean;
}

/** Sends a write exactly as it is told. */
export async function sendWrite(address: string, write: Write): Promise<WriteAnswer> {
  const { path, body, idempotencyKey, method = 'POST', key = OWNER_KEY } = write;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': idempotencyKey,
      'content-type': write.contentType ?? 'application/json',
    },
    body,
  });
  const replayed = response.headers.get('idempotency-replayed') === 'true';
  return { status: response.status, text: await response.text(), replayed };
}
