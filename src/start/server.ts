import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { calendarOperations } from '../areas/calendar/operations.ts';
import { changesOperations } from '../areas/changes/operations.ts';
import type { DeliveriesReport } from '../areas/changes/webhooks/deliveries.ts';
import { contactsOperations } from '../areas/contacts/operations.ts';
import { directoryOperations } from '../areas/directory/operations.ts';
import { documentsOperations } from '../areas/documents/operations.ts';
import { filesOperations } from '../areas/drive/operations.ts';
import { keysOperations } from '../areas/keys/operations.ts';
import { mailOperations } from '../areas/mail/operations.ts';
import type { OutboxReport } from '../areas/mail/sending/outbox.ts';
import { searchOperations } from '../areas/search/operations.ts';
import { spreadsheetsOperations } from '../areas/spreadsheets/operations.ts';
import type { Operation } from '../contract/operation.ts';
import { Cursors } from '../contract/pagination.ts';
import { removeExpiredRecords } from '../once/idempotency-store.ts';
import { VERSION } from '../platform/version.ts';
import { registerConsole } from '../server/http/console/console.ts';
import { registerEntryPage } from '../server/http/entry-page.ts';
import { Metrics, registerHealth } from '../server/http/health.ts';
import type { HttpServer } from '../server/http/http-server.ts';
import { closeServer, PATIENCE, type Patience } from '../server/http/node-server.ts';
import { registerOwnerProof } from '../server/http/owner-proof.ts';
import { RateLimit } from '../server/http/rate-limit.ts';
import { registerOpenApi, registerReference } from '../server/http/reference.ts';
import { createServer, routesOf } from '../server/http/routes.ts';
import { WholeLists } from '../server/http/whole-lists.ts';
import { registerMcp } from '../server/mcp/mcp.ts';
import { type SmtpServer, startSmtpServer } from '../server/smtp/smtp-server.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { Services } from './composition.ts';
import type { Config } from './config.ts';
import { Housekeeping } from './housekeeping.ts';
import { endsAtServer, NONCE, proveOwnerKey } from './owner-proof.ts';
import { serverSecret } from './server-secrets.ts';

/** Every operation of the API. */
export function operationsOf({
  directory,
  keys,
  mail,
  files,
  documents,
  spreadsheets,
  uploads,
  contacts,
  calendar,
  changes,
  webhooks,
  search,
}: Pick<
  Services,
  | 'directory'
  | 'keys'
  | 'mail'
  | 'files'
  | 'documents'
  | 'spreadsheets'
  | 'uploads'
  | 'contacts'
  | 'calendar'
  | 'changes'
  | 'webhooks'
  | 'search'
>): Operation[] {
  return [
    ...directoryOperations(directory),
    ...keysOperations(keys),
    ...mailOperations(mail),
    ...filesOperations(files, uploads),
    ...documentsOperations(documents),
    ...spreadsheetsOperations(spreadsheets),
    ...contactsOperations(contacts),
    ...calendarOperations(calendar),
    ...changesOperations(changes, webhooks),
    ...searchOperations(search),
  ];
}

/** A running server. */
export interface RunningServer {
  /** Such as http://127.0.0.1:8080. */
  address: string;
  /** Such as 127.0.0.1:2525; undefined where there is no SMTP. */
  smtpAddress: string | undefined;
  /** Stops accepting, gives running requests so many milliseconds to finish, closes the storage. */
  stop(withinMs?: number): Promise<void>;
}

/** Running requests have this long to finish when the server stops. */
const STOP_WITHIN_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;
/** "Space of expired and aborted uploads is free again within 60 s": this interval and the time for freeing it. */
const FREE_EVERY_MS = 20_000;
const SWEPT_AT_ONCE = 500;
/** Changes outlive the cursors before them, whose age is measured on the clock of a node. */
const KEPT_LONGER_MS = 3_600_000;
/** Mail that is queued here is sent immediately; this interval finds retries and mail that other nodes have left. */
const OUTBOX_EVERY_MS = 15_000;
/**
 * Items that are stored here are indexed immediately; this interval finds items that others have left, and retries
 * after errors.
 */
const INDEX_EVERY_MS = 15_000;

/** Starts the HTTP and SMTP servers on open services; `patience` has the time limits of HTTP clients. */
export async function startServer(
  config: Config,
  services: Services,
  log: Logger,
  patience: Patience = PATIENCE,
): Promise<RunningServer> {
  await services.indexer.prepare();
  const server = await startHttpServer(config, services, log, patience);
  const smtp = await startSmtp(config, services, log);
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (error) {
    await smtp?.stop(0);
    throw error;
  }
  const housekeeping = new Housekeeping(log);
  housekeeping.every(SWEEP_EVERY_MS, 'expired idempotency records', () =>
    sweepIdempotency(services.database),
  );
  housekeeping.every(SWEEP_EVERY_MS, 'expired tokens, sign-in codes and tickets', () =>
    sweepSignIns(services),
  );
  housekeeping.every(FREE_EVERY_MS, 'abandoned blobs', () => services.staging.sweep());
  services.calculation.onFault((fault) => log.error(fault, 'a function of formulas has failed'));
  services.outbox.start(outboxReport(log));
  housekeeping.every(OUTBOX_EVERY_MS, 'mail that leaves', async () => services.outbox.wake());
  services.deliveries.start(deliveriesReport(log));
  services.contactIndexer.start((err) => log.error({ err }, 'contacts could not be indexed'));
  housekeeping.every(INDEX_EVERY_MS, 'search index of contacts', async () => services.contactIndexer.wake());
  services.indexer.start((err) => log.error({ err }, 'changes could not be indexed for the search'));
  housekeeping.every(SWEEP_EVERY_MS, 'old lines of the delivery log', () => sweepDeliveries(services));
  housekeeping.every(SWEEP_EVERY_MS, 'old changes', () => sweepChanges(config, services));
  housekeeping.every(FREE_EVERY_MS, 'space of uploads', () => services.uploads.sweep());
  housekeeping.every(SWEEP_EVERY_MS, 'remains of spreadsheets', () => services.spreadsheets.sweep());
  return {
    address: addressOf(config, server),
    smtpAddress: smtp?.address,
    stop: async (withinMs = STOP_WITHIN_MS) => {
      services.changes.close();
      await Promise.all([
        closeServer(server.node, withinMs),
        smtp?.stop(withinMs),
        services.outbox.stop(withinMs),
        services.deliveries.stop(withinMs),
        services.contactIndexer.stop(),
        services.indexer.stop(),
      ]);
      await housekeeping.stop();
      await services.close();
    },
  };
}

/** Logs the relay's replies; of the addresses, only those that wait or have failed. */
function outboxReport(log: Logger): OutboxReport {
  return {
    attempted: ({ id, attempts }, { taken, waiting, failed }) => {
      const level = waiting.length + failed.length > 0 ? 'warn' : 'info';
      log[level](
        { outgoing: id, attempts, taken: taken.length, waiting, failed },
        'offered mail to the relay',
      );
    },
    failed: (err) => log.error({ err }, 'an attempt to send mail failed'),
  };
}

function deliveriesReport(log: Logger): DeliveriesReport {
  return {
    tried: (webhook, change, { status, error, durationMs }) =>
      log[error === null ? 'info' : 'warn'](
        { webhook, change, status, error, durationMs },
        'tried a webhook',
      ),
    failed: (err) => log.error({ err }, 'changes could not be delivered to webhooks'),
  };
}

async function startSmtp(config: Config, services: Services, log: Logger): Promise<SmtpServer | undefined> {
  const { smtpPort } = config;
  if (smtpPort === undefined) return undefined;
  const { database, directory, mail, calendar } = services;
  return startSmtpServer({ ...config, smtpPort }, { database, directory, mail, calendar, log });
}

async function startHttpServer(
  config: Config,
  services: Services,
  log: Logger,
  patience: Patience,
): Promise<HttpServer> {
  const { database, blobs, staging, authentication } = services;
  const metrics = new Metrics();
  metrics.addGauge(
    'atrium_changes_lag_seconds',
    'How long a writing transaction of any program has held back the change feed.',
    () => services.changes.lag(),
  );
  const operations = operationsOf(services);
  const dependencies = {
    operations,
    database,
    authentication,
    cursors: new Cursors(await serverSecret(database, 'cursors'), config.cursorTtlSeconds),
    rateLimit: new RateLimit(config.rateLimit),
    metrics,
    log,
    idempotencyTtlMs: config.idempotencyTtlSeconds * 1000,
    wholeLists: new WholeLists(staging),
    tls: config.tls,
    patience,
  };
  const routes = routesOf(dependencies);
  const server = createServer(dependencies, routes);
  registerConsole(server, dependencies, services);
  registerMcp(server, dependencies, {
    routes,
    findOutsiders: (workspaceId, recipients) =>
      database.read((tx) => services.mail.sending.outsiders(tx, workspaceId, recipients)),
    secret: () => serverSecret(database, 'agents'),
  });
  const readiness = { check: async () => void (await Promise.all([database.check(), blobs.check()])) };
  registerHealth(server, readiness, metrics);
  registerOwnerProof(server, {
    nonce: NONCE,
    prove: (nonce, socket) => proveOwnerKey(config.dataDir, nonce, endsAtServer(socket)),
  });
  registerEntryPage(server, VERSION);
  registerOpenApi(server, operations, {
    version: VERSION,
    idempotencyTtlMs: config.idempotencyTtlSeconds * 1000,
  });
  registerReference(server);
  return server;
}

function addressOf(config: Config, server: HttpServer): string {
  const { port } = server.node.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`;
}

function sweepIdempotency(database: Database): Promise<void> {
  return sweep(database, async (tx) => removeExpiredRecords(tx, await tx.now(), SWEPT_AT_ONCE));
}

function sweepChanges({ changesTtlSeconds }: Config, { database, changes }: Services): Promise<void> {
  return sweep(database, async (tx) =>
    changes.forget(tx, (await tx.now()) - changesTtlSeconds * 1000 - KEPT_LONGER_MS, SWEPT_AT_ONCE),
  );
}

async function sweepSignIns({ database, keys }: Services): Promise<void> {
  await sweep(database, async (tx) => keys.signIn.forget(tx, await tx.now(), SWEPT_AT_ONCE));
  await sweep(database, async (tx) => keys.signIn.forgetSessions(tx, await tx.now(), SWEPT_AT_ONCE));
}

function sweepDeliveries({ database, mail }: Services): Promise<void> {
  return sweep(database, async (tx) => mail.forgetDeliveries(tx, await tx.now(), SWEPT_AT_ONCE));
}

/** Removes rows in batches, so no other write waits for all of it; `remove` returns the number of removed rows. */
async function sweep(database: Database, remove: (tx: WriteTransaction) => Promise<number>): Promise<void> {
  while ((await database.write(remove)) === SWEPT_AT_ONCE);
}
