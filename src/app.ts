import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { closeServer } from './api/closing.ts';
import { registerHealth } from './api/health.ts';
import { removeExpiredRecords } from './api/idempotency-store.ts';
import { Metrics } from './api/metrics.ts';
import { registerOpenApi } from './api/openapi.ts';
import type { Operation } from './api/operation.ts';
import { Cursors } from './api/pagination.ts';
import { RateLimit } from './api/rate-limit.ts';
import { registerReference } from './api/reference.ts';
import { createServer } from './api/server.ts';
import { serverSecret } from './api/server-secrets.ts';
import { calendarOperations } from './areas/calendar/operations.ts';
import { contactsOperations } from './areas/contacts/operations.ts';
import { directoryOperations } from './areas/directory/operations.ts';
import { keysOperations } from './areas/keys/operations.ts';
import { mailOperations } from './areas/mail/operations.ts';
import type { Config } from './config.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Product } from './product.ts';
import type { Database } from './storage/database.ts';
import { VERSION } from './version.ts';

/** Every operation of the API. */
export function operationsOf({
  directory,
  keys,
  mail,
  contacts,
  calendar,
}: Pick<Product, 'directory' | 'keys' | 'mail' | 'contacts' | 'calendar'>): Operation[] {
  return [
    ...directoryOperations(directory),
    ...keysOperations(keys),
    ...mailOperations(mail),
    ...contactsOperations(contacts),
    ...calendarOperations(calendar),
  ];
}

/** A server that answers. */
export interface RunningServer {
  /** Such as http://127.0.0.1:8080. */
  address: string;
  /** Stops accepting, finishes what runs, closes the storage. */
  stop(): Promise<void>;
}

/** Requests that run when the server is told to stop have this long to finish. */
const STOP_WITHIN_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;
const SWEPT_AT_ONCE = 500;

/** Starts the HTTP door on a product that is open. */
export async function startServer(config: Config, product: Product, log: Logger): Promise<RunningServer> {
  const server = await httpDoor(config, product, log);
  await server.listen({ host: config.host, port: config.port });
  const housekeeping = new Housekeeping(log);
  housekeeping.every(SWEEP_EVERY_MS, 'expired idempotency records', () => sweepIdempotency(product.database));
  housekeeping.every(SWEEP_EVERY_MS, 'abandoned message blobs', () => product.staging.sweep());
  return {
    address: addressOf(config, server),
    stop: async () => {
      await closeServer(server, STOP_WITHIN_MS);
      await housekeeping.stop();
      await product.close();
    },
  };
}

async function httpDoor(config: Config, product: Product, log: Logger): Promise<FastifyInstance> {
  const { database, blobs, authentication } = product;
  const metrics = new Metrics();
  const operations = operationsOf(product);
  const server = createServer({
    operations,
    database,
    authentication,
    cursors: new Cursors(await serverSecret(database, 'cursors'), config.cursorTtlSeconds),
    rateLimit: new RateLimit(config.rateLimit),
    metrics,
    log,
    idempotencyTtlMs: config.idempotencyTtlSeconds * 1000,
    tls: config.tls,
  });
  const readiness = { check: async () => void (await Promise.all([database.check(), blobs.check()])) };
  registerHealth(server, readiness, metrics);
  registerOpenApi(server, operations, VERSION);
  registerReference(server);
  return server;
}

function addressOf(config: Config, server: FastifyInstance): string {
  const { port } = server.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`;
}

async function sweepIdempotency(database: Database): Promise<void> {
  let removed: number;
  do {
    removed = await database.write((tx) => removeExpiredRecords(tx, Date.now(), SWEPT_AT_ONCE));
  } while (removed === SWEPT_AT_ONCE);
}
