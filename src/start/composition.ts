import { join } from 'node:path';
import { FEED_ERA, isRestoring, type RestoreTarget } from '../archive/restore.ts';
import { CalendarService } from '../areas/calendar/service.ts';
import { ChangesService, type FeedSeal } from '../areas/changes/service.ts';
import { ReachableHosts } from '../areas/changes/webhooks/addresses.ts';
import { Deliveries } from '../areas/changes/webhooks/deliveries.ts';
import { Sender } from '../areas/changes/webhooks/sender.ts';
import type { WebhooksDependencies } from '../areas/changes/webhooks/webhooks.ts';
import { ContactIndexer } from '../areas/contacts/search/contact-indexer.ts';
import { ContactsService } from '../areas/contacts/service.ts';
import { DirectoryService } from '../areas/directory/service.ts';
import { DocumentsService } from '../areas/documents/service.ts';
import { FilesService } from '../areas/drive/service.ts';
import { SINGLE_REQUEST, type UploadLimits } from '../areas/drive/uploads/upload-schema.ts';
import { Uploads } from '../areas/drive/uploads/uploads.ts';
import { KeysService } from '../areas/keys/service.ts';
import { MessageStaging } from '../areas/mail/arrival/staging.ts';
import type { AttachmentSource } from '../areas/mail/sending/compose.ts';
import { MessageSender } from '../areas/mail/sending/message-sender.ts';
import { Outbox } from '../areas/mail/sending/outbox.ts';
import { noRelay, type Relay, SmtpRelayClient } from '../areas/mail/sending/smtp-relay.ts';
import { MailService, rebuildSummaries } from '../areas/mail/service.ts';
import { Indexer } from '../areas/search/indexer.ts';
import { SearchService } from '../areas/search/search.ts';
import { Sources } from '../areas/search/sources.ts';
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
import { once } from '../platform/once.ts';
import { hasLittleRoom } from '../platform/write-monitor.ts';
import type { Database } from '../storage/database.ts';
import type { FullTextIndex } from '../storage/full-text/full-text-index.ts';
import { openFullTextIndex } from '../storage/full-text/open.ts';
import { monitoredDatabase } from '../storage/monitored-database.ts';
import { openDatabase } from '../storage/open.ts';
import { UnsuitableDatabase } from '../storage/postgres/suitability.ts';
import { distributeNewTables } from '../storage/schema/distribution.ts';
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
import { savedFiles } from './saved-files.ts';
import { serverSecret } from './server-secrets.ts';
import { noticesBy } from './sharing-notices.ts';
import { webhookNotice } from './webhook-notice.ts';

export { type Distribution, distribute, planDistribution } from '../storage/schema/distribution.ts';
export type { InspectedCluster } from '../storage/schema/rebuild.ts';
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
  contactIndexer: ContactIndexer;
  calendar: CalendarService;
  changes: ChangesService;
  webhooks: WebhooksDependencies;
  search: SearchService;
  indexer: Indexer;
  fullTextIndex: FullTextIndex;
  sources: Sources;
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
  const files: FilesService = new FilesService({
    database,
    directory,
    blobs,
    composeNotice: noticesBy(() => mail),
  });
  const documents: DocumentsService = new DocumentsService({
    database,
    files,
    staging,
    prepareSpreadsheet: (source, creator) => spreadsheets.prepare(source, creator),
    spreadsheetState: (tx, spreadsheet) => spreadsheets.stateOf(tx, spreadsheet),
  });
  const calculation = new ThreadedCalculation();
  const spreadsheets = new SpreadsheetsService({ database, documents, calculation, staging });
  const uploads = new Uploads({ database, blobs, staging, rights: files.rights }, uploadLimits(config));
  const { outbox, mail } = openMail({ database, blobs, directory, files, messages }, config);
  await rebuildSummaries(database, messages);
  const contactIndexer = new ContactIndexer(database);
  const contacts = new ContactsService(database, () => contactIndexer.wake());
  const calendar = new CalendarService({ directory, mail, database, staging });
  const keys = new KeysService({ directory, onAccessChange: () => authentication.forget() });
  const authentication: Authentication = new Authentication((secret) => keys.findPrincipal(database, secret));
  const changes = new ChangesService({
    database,
    seal: () => feedSeal(database, config),
    authenticate: (authorization) => authentication.authenticate(authorization),
  });
  const { webhooks, deliveries } = openWebhooks({ database, keys, directory, mail }, config);
  const content = { mail, contacts, files, documents, spreadsheets };
  const searched = await openSearch({ database, directory, changes, ...content }, config);
  const close = async () => {
    changes.close();
    await searched.fullTextIndex.close();
    await uploads.settled().finally(() => database.close());
    await calculation.close();
  };
  const areas = { ...content, directory, keys, calculation, calendar, changes, webhooks, ...searched };
  const works = { staging, messages, outbox, deliveries, contactIndexer, uploads };
  return { database, blobs, authentication, ...areas, ...works, close };
}

/** Mail, with the outbox. */
function openMail(
  {
    database,
    blobs,
    directory,
    files,
    messages,
  }: Pick<Services, 'database' | 'blobs' | 'directory' | 'files' | 'messages'>,
  config: Config,
): Pick<Services, 'outbox' | 'mail'> {
  const outbox = new Outbox({ database, staging: messages, relay: relayOf(config), domain: config.domain });
  const composer = {
    database,
    staging: messages,
    directory,
    files: attachmentsFrom(files),
    domain: config.domain,
  };
  const sending = new MessageSender({
    ...composer,
    hasRelay: config.smtpRelay !== undefined,
    onQueued: () => outbox.wake(),
  });
  const mail = new MailService(composer, sending, savedFiles(files, blobs, uploadLimits(config)));
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
  const webhooks: WebhooksDependencies = {
    database,
    hosts,
    sender,
    findPrincipalOf,
    era,
    changesTtlMs: config.changesTtlSeconds * 1000,
    onWork: () => deliveries.wake(),
  };
  return { webhooks, deliveries };
}

/** The search, with the index that follows the changes. */
async function openSearch(
  {
    database,
    directory,
    changes,
    ...searched
  }: Pick<
    Services,
    'database' | 'directory' | 'changes' | 'mail' | 'contacts' | 'files' | 'documents' | 'spreadsheets'
  >,
  config: Config,
): Promise<Pick<Services, 'search' | 'indexer' | 'fullTextIndex' | 'sources'>> {
  const fullTextIndex = await openFullTextIndex(database, config.dataDir);
  const sources = new Sources(database, searched);
  const search = new SearchService({ database, directory, sources, index: fullTextIndex, ...searched });
  const indexer = new Indexer({
    database,
    changes,
    sources,
    index: fullTextIndex,
    era: once(async () => (await feedSeal(database, config)).era),
    changesTtlMs: config.changesTtlSeconds * 1000,
  });
  return { search, indexer, fullTextIndex, sources };
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

/** Opens the database with all tables; new ones of a cluster are spread, unless that is what the caller does. */
export async function openMigratedDatabase(
  config: Config,
  { isToSpread = true } = {},
): Promise<StorageEngine> {
  const database = await openStorageEngine(config);
  try {
    await migrate(database);
    await refuseHalfRestored(database);
    if (isToSpread) await distributeNewTables(database);
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
