import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { newId } from '../../../platform/ids.ts';
import {
  type InspectedDatabase,
  inspectDatabase,
  isStoreOfDatabase,
  openBlobStore,
} from '../../../start/composition.ts';
import type { Config } from '../../../start/config.ts';
import { clusterOf } from './cluster.ts';
import { type Finding, finding } from './finding.ts';

const OLDEST_POSTGRES = 15;
const MOST_SKEW_MS = 60_000;

/** Whether the database answers, has a supported version, and has the tables of this program. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'atrium.sqlite'))) {
    return [{ check: 'database', state: 'ok', message: 'None yet: the first start makes it.' }];
  }
  let inspected: InspectedDatabase | undefined;
  const reached = await finding(
    'database',
    async () => {
      inspected = await inspectDatabase(config);
      return versionOf(inspected);
    },
    databaseUrl === undefined
      ? 'Restore the data directory from a backup if the file is broken.'
      : 'See that PostgreSQL runs and that ATRIUM_DATABASE_URL names it.',
  );
  if (inspected === undefined) return [reached];
  return [
    reached,
    migrationsOf(inspected),
    clockOf(inspected),
    feedOf(inspected),
    ...(inspected.cluster ? clusterOf(inspected.cluster) : []),
  ];
}

function versionOf({ engine, version }: InspectedDatabase): Omit<Finding, 'check'> {
  const name = `${engine === 'postgres' ? 'PostgreSQL' : 'SQLite'} ${version}`;
  if (engine === 'sqlite' || Number.parseInt(version, 10) >= OLDEST_POSTGRES)
    return { state: 'ok', message: `${name} answers.` };
  return { state: 'fail', message: `${name} is too old. Upgrade it to ${OLDEST_POSTGRES} or newer.` };
}

function migrationsOf({ missing, unknown }: InspectedDatabase): Finding {
  const check = 'migrations';
  if (unknown !== undefined) {
    const message = `The database is newer than this program: it has "${unknown}". Run the newer version.`;
    return { check, state: 'fail', message };
  }
  if (missing.length === 0) return { check, state: 'ok', message: 'The tables are up to date.' };
  const message = `${missing.length} to apply: the next start does that. Take a backup first if there is data.`;
  return { check, state: 'warn', message };
}

function clockOf({ skewMs, lastChange }: InspectedDatabase): Finding {
  const check = 'clock';
  const advice = 'Set the clock, and keep it by NTP.';
  if (lastChange > Date.now() + MOST_SKEW_MS)
    return {
      check,
      state: 'fail',
      message: `It is behind: the database was changed later than now. ${advice}`,
    };
  if (Math.abs(skewMs) > MOST_SKEW_MS) {
    const seconds = Math.round(Math.abs(skewMs) / 1000);
    return { check, state: 'warn', message: `It is ${seconds} s off that of the database. ${advice}` };
  }
  return { check, state: 'ok', message: `${new Date().toISOString()}` };
}

/** Seconds: most writes of this program have long ended, and readers of the feed notice. */
const SLOW_WRITE = 1;
/** Seconds after which a writing transaction cannot be a write of this program. */
const LONG_WRITE = 60;

function feedOf({ feedHolder }: InspectedDatabase): Finding {
  const check = 'change feed';
  if (feedHolder === undefined || feedHolder.seconds < SLOW_WRITE)
    return { check, state: 'ok', message: 'Nothing holds it back.' };
  const { name, seconds } = feedHolder;
  const message = `A transaction of ${name} has been open for ${Math.round(seconds)} s, and no later change is read before it ends.`;
  if (seconds < LONG_WRITE) return { check, state: 'warn', message };
  return { check, state: 'fail', message: `${message} End it.` };
}

/** Whether a blob can be stored, read and removed. */
export function checkBlobs(config: Config): Promise<Finding> {
  return finding(
    'blobs',
    async () => {
      if (config.blobs === undefined && !existsSync(config.dataDir))
        return { state: 'ok', message: 'Files in the data directory, which the first start makes.' };
      const store = await openBlobStore(config);
      const key = newId('blob');
      const bytes = Buffer.from(key);
      await store.put(key, Readable.from([bytes]));
      const same = bytes.equals(await buffer(await store.get(key)).finally(() => store.remove(key)));
      if (!same) throw new Error('What was stored is not what was read');
      return { state: 'ok', message: 'Stored, read and removed one.' };
    },
    config.blobs === undefined
      ? 'Let the user that runs Atrium write to "blobs" in the data directory.'
      : 'See that ATRIUM_BLOBS names a bucket and the AWS variables let Atrium write to it.',
  );
}

/** Whether the blob store is the store of the database. */
export function checkStore(config: Config): Promise<Finding> {
  return finding(
    'blob store',
    async () => {
      const isThere = config.databaseUrl !== undefined || existsSync(join(config.dataDir, 'atrium.sqlite'));
      const isSame = isThere ? await isStoreOfDatabase(config) : undefined;
      if (isSame === undefined)
        return { state: 'ok', message: 'The next start has the database remember this one.' };
      if (isSame) return { state: 'ok', message: 'It is the one that the database has been used with.' };
      const setting = config.blobs === undefined ? 'ATRIUM_DATA_DIR' : 'ATRIUM_BLOBS';
      const message = `It is another one than the database has been used with. Let ${setting} name that one, or run \`atrium adopt-blobs\` where its blobs were moved here or its marker was lost.`;
      return { state: 'fail', message };
    },
    'See that the database and the blob store can be reached.',
  );
}
