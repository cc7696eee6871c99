import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backUp } from '../../src/archive/backup.ts';
import { restore } from '../../src/archive/restore.ts';
import { openRestoreTarget, openServices } from '../../src/start/composition.ts';
import { readConfig } from '../../src/start/config.ts';
import { startPostgres } from '../../test/postgres.ts';
import { keptDirectory } from '../mail/mailboxes.ts';
import { OWNER_KEY, type Server, startAtriumOnPostgres } from '../mail/servers.ts';
import { MAIL_MADE_BY, searchableMailbox } from './mailbox.ts';
import { atRest, multiplyMailbox, withoutTermIndex } from './multiplied-postgres.ts';
import { READ_UNTIL } from './read-until.ts';

const MADE_BY: readonly string[] = [
  ...MAIL_MADE_BY,
  'bench/search/multiplied-postgres.ts',
  // Has the version of the index.
  'src/storage/full-text/terms.ts',
];

/**
 * The product on a PostgreSQL of its own, with so many messages to be searched for, which came in through the product's own
 * door, were moved by a backup, and were multiplied afterwards. The directory is kept for the next run.
 */
export async function startSearchableOnPostgres(messages: number, times = 1): Promise<Server> {
  const name = `postgres-${times}-of-${messages}`;
  const directory = await keptDirectory(name, MADE_BY, (unfinished) => make(unfinished, messages, times));
  const postgres = await startPostgres(join(directory, 'rows'));
  const server = await startAtriumOnPostgres(join(directory, 'files'), postgres.url);
  const stop = async () => {
    await server.stop();
    await atRest(postgres.url);
    await postgres.stop();
  };
  return { ...server, stop };
}

async function make(directory: string, messages: number, times: number): Promise<void> {
  await mkdir(directory, { recursive: true });
  // PostgreSQL may run as another user.
  await chmod(directory, 0o755);
  const postgres = await startPostgres(join(directory, 'rows'));
  try {
    const settings = { dataDir: join(directory, 'files'), databaseUrl: postgres.url };
    await move(await searchableMailbox(messages), settings, join(directory, 'backup'));
    await fillIndex(settings, times);
    await atRest(postgres.url);
  } finally {
    await postgres.stop();
  }
}

interface Settings {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

/** An import of its own would take several times as long. */
async function move(source: string, target: Settings, backup: string): Promise<void> {
  const progress = { rows: 0, blobs: 0, bytes: 0 };
  const services = await openServices(readConfig({ ATRIUM_DATA_DIR: source }));
  await backUp(services, backup, progress).finally(() => services.close());
  const into = await openRestoreTarget(configOf(target));
  await restore(backup, into, progress).finally(() => into.close());
  await rm(backup, { recursive: true });
}

/** The product indexes all; the index of terms is made once, when everything is there. */
async function fillIndex(settings: Settings, times: number): Promise<void> {
  const services = await openServices(configOf(settings));
  const { fullTextIndex, indexer } = services;
  try {
    // Makes the tables.
    await fullTextIndex.state();
    await withoutTermIndex(settings.databaseUrl, async () => {
      await indexer.catchUp();
      const state = await fullTextIndex.state();
      if (!state) throw new Error('The index has no state');
      const to = { ...state, readUntil: READ_UNTIL };
      await fullTextIndex.write({ from: state, to, objects: [], removed: [] });
      if (times > 1) await multiplyMailbox(settings.databaseUrl, times);
    });
  } finally {
    await services.close();
  }
}

function configOf({ dataDir, databaseUrl }: Settings) {
  return readConfig({
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
    ATRIUM_OWNER_KEY: OWNER_KEY,
  });
}
