import { join } from 'node:path';
import { FEED_ERA, isRestoring, type RestoreTarget } from '../archive/restore.ts';
import { CalendarService } from '../areas/calendar/service.ts';
import { ChangesService, type FeedSeal } from '../areas/changes/service.ts';
import { ReachableHosts } from '../areas/changes/webhooks/addresses.ts';
import { Deliveries } from '../areas/changes/webhooks/deliveries.ts';
import { Sender } from '../areas/changes/webhooks/sender.ts';
import { WebhooksService } from '../areas/changes/webhooks/service.ts';
import { ContactIndexing } from '../areas/contacts/search/indexing.ts';
import { ContactsService } from '../areas/contacts/service.ts';
import { DirectoryService } from '../areas/directory/service.ts';
import { DocumentsService } from '../areas/documents/service.ts';
import { FilesService } from '../areas/drive/service.ts';
import { SINGLE_REQUEST, type UploadLimits } from '../areas/drive/uploads/upload-schema.ts';
import { Uploads } from '../areas/drive/uploads/uploads.ts';
import { KeysService } from '../areas/keys/service.ts';
import { MessageStaging } from '../areas/mail/arrival/staging.ts';
import { FilterService } from '../areas/mail/filters/service.ts';
import type { AttachmentSource } from '../areas/mail/sending/composing.ts';
import { Outbox } from '../areas/mail/sending/outbox.ts';
import { Sending } from '../areas/mail/sending/sending.ts';
import { noRelay, type Relay, SmtpRelayClient } from '../areas/mail/sending/smtp-relay.ts';
import { MailService } from '../areas/mail/service.ts';
import { SpreadsheetsService } from '../areas/spreadsheets/service.ts';
import { type BlobStore, BlobsUnavailable } from '../blobs/blob-store.ts';
import { monitoredBlobs } from '../blobs/monitored-blobs.ts';
import { InvalidBlobsSetting, openBlobs } from '../blobs/open-blobs.ts';
import { Staging } from '../blobs/staging.ts';
import {
  adoptStore,
  checkedBeforeUse,
  checkMarker,
  findMarker,
  hasMarker,
  WrongBlobStore,
} from '../blobs/store-marker.ts';
import { Cursors } from '../contract/pagination.ts';
import { Authentication } from '../contract/principal.ts';
import type { Calculation } from '../formulas/calculation.ts';
import { ThreadedCalculation } from '../formulas/threads/calculations.ts';
import { hasLittleRoom } from '../platform/write-monitor.ts';
import type { Database } from '../storage/database.ts';
import { monitoredDatabase } from '../storage/monitored-database.ts';
import { openDatabase } from '../storage/open.ts';
import { UnsuitableDatabase } from '../storage/postgres/suitability.ts';
import { migrate } from '../storage/schema/migrate.ts';
import {
  hasTables,
  type InspectedDatabase,
  inspect,
  makeTables,
  removeTables,
} from '../storage/schema/rebuild.ts';
import type { StorageEngine } from '../storage/schema/schema-transaction.ts';
import { type Config, ConfigError } from './config.ts';
import { makeDataDir } from './data-directory.ts';
import { serverSecret } from './server-secrets.ts';
import { webhookNotice } from './webhook-notice.ts';

export type { InspectedDatabase };

/** Everything except the HTTP and SMTP servers: shared by the server and the command line. */
export interface Services {
  database: Database;
  blobs: BlobStore;
  authentication: Authentication;
  directory: DirectoryService;
  keys: KeysService;
  mail: MailService;
  files: FilesService;
  documents: DocumentsService;
  spreadsheets: SpreadsheetsService;
  calculation: Calculation;
  contacts: ContactsService;
  contactIndexing: ContactIndexing;
  calendar: CalendarService;
  changes: ChangesService;
  webhooks: WebhooksService;
  deliveries: Deliveries;
  staging: Staging;
  messages: MessageStaging;
  outbox: Outbox;
  uploads: Uploads;
  close(): Promise<void>;
}

/** Opens the storage, migrates it and creates the services on it. */
export async function openServices(config: Config): Promise<Services> {
  const { database, blobs } = await openStorage(config);
  const staging = new Staging(database, blobs);
  const messages = new MessageStaging(staging);
  const directory: DirectoryService = new DirectoryService({
    onUserCreated: [
      (tx, user) => mail.createMailbox(tx, user),
      (tx, user) => contacts.createFirstBook(tx, user),
      (tx, user) => calendar.createFirstCalendar(tx, user),
    ],
    onAccessChange: () => authentication.forget(),
  });
  const files = new FilesService({ directory, blobs });
  const documents: DocumentsService = new DocumentsService({
    database,
    files,
    staging,
    prepareSpreadsheet: (source, creator) => spreadsheets.prepare(source, creator),
    spreadsheetState: (tx, spreadsheet) => spreadsheets.stateOf(tx, spreadsheet),
  });
  const calculation = new ThreadedCalculation();
  const spreadsheets = new SpreadsheetsService({ database, documents, calculation, staging });
  const uploads = new Uploads(database, blobs, staging, uploadLimits(config));
  const { outbox, mail } = openMail({ database, directory, files, messages }, config);
  const contactIndexing = new ContactIndexing(database);
  const contacts = new ContactsService(database, () => contactIndexing.wake());
  const calendar = new CalendarService({ directory, database, staging });
  const keys = new KeysService({ directory, onAccessChange: () => authentication.forget() });
  const authentication: Authentication = new Authentication((hash) => keys.findPrincipal(database, hash));
  const changes = new ChangesService({
    database,
    seal: () => feedSeal(database, config),
    authenticate: (authorization) => authentication.authenticate(authorization),
  });
  const { webhooks, deliveries } = openWebhooks({ database, keys, directory, mail }, config);
  const close = async () => {
    changes.close();
    await uploads.settled().finally(() => database.close());
    await calculation.close();
  };
  const areas = {
    directory,
    keys,
    mail,
    files,
    documents,
    spreadsheets,
    calculation,
    contacts,
    calendar,
    changes,
    webhooks,
  };
  const works = { staging, messages, outbox, deliveries, contactIndexing, uploads };
  return { database, blobs, authentication, ...areas, ...works, close };
}

/** Mail, with the outbox. */
function openMail(
  { database, directory, files, messages }: Pick<Services, 'database' | 'directory' | 'files' | 'messages'>,
  config: Config,
): Pick<Services, 'outbox' | 'mail'> {
  const outbox = new Outbox({ database, staging: messages, relay: relayOf(config), domain: config.domain });
  const sending = new Sending({
    database,
    staging: messages,
    directory,
    files: attachmentsFrom(files),
    domain: config.domain,
    hasRelay: config.smtpRelay !== undefined,
    onQueued: () => outbox.wake(),
  });
  const mail = new MailService({
    database,
    staging: messages,
    filters: new FilterService(database, messages),
    sending,
  });
  return { outbox, mail };
}

/** Webhooks, with their deliveries. */
function openWebhooks(
  { database, keys, directory, mail }: Pick<Services, 'database' | 'keys' | 'directory' | 'mail'>,
  config: Config,
): Pick<Services, 'webhooks' | 'deliveries'> {
  const hosts = new ReachableHosts(config.webhookAllow);
  const sender = new Sender(hosts);
  const findPrincipalOf = keys.findPrincipalOf.bind(keys);
  const era = once(async () => (await feedSeal(database, config)).era);
  const deliveries = new Deliveries({
    database,
    sender,
    findPrincipalOf,
    era,
    noticeOf: (webhook) => webhookNotice({ database, directory, mail }, webhook, config.domain),
  });
  const webhooks = new WebhooksService({
    database,
    hosts,
    sender,
    findPrincipalOf,
    era,
    changesTtlMs: config.changesTtlSeconds * 1000,
    onWork: () => deliveries.wake(),
  });
  return { webhooks, deliveries };
}

/** Caches a successful result for all later callers; after a failure the next caller tries again. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}

/**
 * Opens the database, migrates it, and opens its blob store. The store's identity is checked immediately where the
 * store answers, else before its next use.
 */
async function openStorage(config: Config): Promise<{ database: Database; blobs: BlobStore }> {
  await makeDataDir(config.dataDir);
  const { dataDir, databaseUrl } = config;
  const store = await openBlobStore(config);
  const blobs = monitoredBlobs(store, config.blobs === undefined ? () => hasLittleRoom(dataDir) : undefined);
  const database = monitoredDatabase(
    await openMigratedDatabase(config),
    databaseUrl === undefined ? () => hasLittleRoom(join(dataDir, 'atrium.sqlite')) : undefined,
  );
  const checked = checkedBeforeUse(blobs, () => checkMarker({ database, blobs }));
  try {
    // This check comes first, because it has a time limit where a store is down.
    await blobs
      .check()
      .then(() => checked.check())
      .catch((error) => refuseOtherStore(error, config));
    return { database, blobs: checked };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** An unavailable store does not prevent the start. */
function refuseOtherStore(error: unknown, { blobs }: Config): void {
  if (!(error instanceof BlobsUnavailable)) throw error;
  if (!(error.cause instanceof WrongBlobStore)) return;
  const setting = blobs === undefined ? 'ATRIUM_DATA_DIR' : 'ATRIUM_BLOBS';
  throw new ConfigError(
    `${setting} names another blob store than the one that the database has been used with: name that one, or run \`atrium adopt-blobs\` where its blobs were moved here or its marker was lost.`,
    { cause: error },
  );
}

/**
 * Makes the blob store of the settings the store of the database. Rejects with ConfigError, BlobsUnavailable or
 * StorageUnavailable.
 */
export async function adoptBlobs(config: Config): Promise<void> {
  await makeDataDir(config.dataDir);
  const blobs = await openBlobStore(config);
  const database = await openMigratedDatabase(config);
  await adoptStore({ database, blobs }).finally(() => database.close());
}

/**
 * Whether the store of the settings is that of the database; undefined where the database has recorded none. Changes
 * nothing.
 */
export async function isStoreOfDatabase(config: Config): Promise<boolean | undefined> {
  const database = await openStorageEngine(config);
  try {
    if (!(await hasTables(database))) return undefined;
    const marker = await database.read(findMarker);
    return marker === undefined ? undefined : await hasMarker(await openBlobStore(config), marker);
  } finally {
    await database.close();
  }
}

/**
 * Opens the storage without migration, as the target of a restore: it may have no tables, or those of another
 * version.
 */
export async function openRestoreTarget(config: Config): Promise<RestoreTarget & { close(): Promise<void> }> {
  await makeDataDir(config.dataDir);
  const blobs = await openBlobStore(config);
  const database = await openStorageEngine(config);
  return {
    database,
    blobs,
    hasTables: () => hasTables(database),
    removeTables: () => removeTables(database),
    makeTables: (steps) => makeTables(database, steps),
    close: () => database.close(),
  };
}

/** The properties of the database as it is, without migration. Rejects with StorageUnavailable. */
export async function inspectDatabase(config: Config): Promise<InspectedDatabase> {
  const database = await openStorageEngine(config);
  return inspect(database).finally(() => database.close());
}

async function feedSeal(database: Database, { changesTtlSeconds }: Config): Promise<FeedSeal> {
  const era = (await serverSecret(database, FEED_ERA)).toString('base64url');
  const cursors = new Cursors(await serverSecret(database, 'cursors'), changesTtlSeconds);
  return { cursors, ttlMs: changesTtlSeconds * 1000, era };
}

function relayOf({ smtpRelay, domain }: Config): Relay {
  return smtpRelay ? new SmtpRelayClient(smtpRelay, domain) : noRelay;
}

/** The source of attachments: the files that the sender may read. */
function attachmentsFrom(files: FilesService): AttachmentSource {
  return { find: (tx, reader, fileId) => files.findStoredFile(tx, reader, fileId) };
}

function uploadLimits({ maxFileSize, uploadTtlSeconds }: Config): UploadLimits {
  return { maxFileSize, ttlMs: uploadTtlSeconds * 1000, singleRequest: { ...SINGLE_REQUEST } };
}

/** Opens only the blob store. Rejects with ConfigError. */
export async function openBlobStore(config: Config): Promise<BlobStore> {
  try {
    return await openBlobs(config);
  } catch (error) {
    throw error instanceof InvalidBlobsSetting ? new ConfigError(error.message, { cause: error }) : error;
  }
}

/** Opens only the database. Rejects with StorageUnavailable and ConfigError. */
async function openStorageEngine(config: Config): Promise<StorageEngine> {
  try {
    return await openDatabase(config);
  } catch (error) {
    throw error instanceof UnsuitableDatabase ? new ConfigError(error.message, { cause: error }) : error;
  }
}

async function openMigratedDatabase(config: Config): Promise<Database> {
  const database = await openStorageEngine(config);
  try {
    await migrate(database);
    await refuseHalfRestored(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function refuseHalfRestored(database: StorageEngine): Promise<void> {
  if (!(await database.read(isRestoring))) return;
  throw new ConfigError(
    'The database that the settings name holds a part of a backup: a restore into it broke off. Run `atrium restore` again.',
  );
}
