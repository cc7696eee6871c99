import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Authentication } from './api/authentication.ts';
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
import { directoryOperations } from './areas/directory/operations.ts';
import { DirectoryService } from './areas/directory/service.ts';
import { keysOperations } from './areas/keys/operations.ts';
import { KeysService } from './areas/keys/service.ts';
import { mailOperations } from './areas/mail/operations.ts';
import { MailService } from './areas/mail/service.ts';
import { MessageStaging } from './areas/mail/staging.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { openBlobs } from './blobs/open.ts';
import { InvalidBlobsSetting } from './blobs/setting.ts';
import { type Config, ConfigError } from './config.ts';
import { Housekeeping } from './housekeeping.ts';
import type { Database } from './storage/database.ts';
import { migrate } from './storage/migrate.ts';
import { openDatabase } from './storage/open.ts';
import { VERSION } from './version.ts';

/** Everything but the doors: what the server and the command line both work with. */
export interface Product {
  database: Database;
  blobs: BlobStore;
  authentication: Authentication;
  directory: DirectoryService;
  keys: KeysService;
  mail: MailService;
  staging: MessageStaging;
  close(): Promise<void>;
}

/** Opens the storage, brings it up to date and puts the services on it. */
export async function openProduct(config: Config): Promise<Product> {
  await makeDataDir(config.dataDir);
  const blobs = await blobsOf(config);
  const database = await databaseOf(config);
  const staging = new MessageStaging(database, blobs);
  const mail = new MailService(staging);
  const directory = new DirectoryService({
    onUserCreated: [(tx, user) => mail.createMailbox(tx, user)],
    onAccessChange: () => authentication.forget(),
  });
  const keys = new KeysService({ directory, onAccessChange: () => authentication.forget() });
  const authentication: Authentication = new Authentication((hash) => keys.findPrincipal(database, hash));
  return { database, blobs, authentication, directory, keys, mail, staging, close: () => database.close() };
}

async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    throw new ConfigError(`ATRIUM_DATA_DIR names no directory that can be written to: "${dataDir}".`, {
      cause,
    });
  }
}

async function blobsOf(config: Config): Promise<BlobStore> {
  try {
    return await openBlobs(config);
  } catch (error) {
    throw error instanceof InvalidBlobsSetting ? new ConfigError(error.message, { cause: error }) : error;
  }
}

async function databaseOf(config: Config): Promise<Database> {
  const database = await openDatabase(config);
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Every operation of the API. */
export function operationsOf({
  directory,
  keys,
  mail,
}: Pick<Product, 'directory' | 'keys' | 'mail'>): Operation[] {
  return [...directoryOperations(directory), ...keysOperations(keys), ...mailOperations(mail)];
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
