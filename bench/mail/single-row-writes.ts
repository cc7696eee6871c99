import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, WriteTransaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { statement } from '../../src/storage/query/statement.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';

const CLIENTS = 16;
const VALUE = new Uint8Array(200);

const insertSecret = statement((tx: WriteTransaction, p: { name: string; value: Uint8Array }) =>
  tx.insertInto('server_secrets').values({ name: p.name, value: p.value }),
);

/** Gives `work` the yardstick of every write: how many rows a second sixteen clients store durably, one a transaction. */
export async function withSingleRowWrites<T>(
  work: (writesPerSecond: (seconds: number) => Promise<number>) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-writes-'));
  const database = await openDatabase({ databaseUrl: undefined, dataDir });
  try {
    await migrate(database);
    return await work((seconds) => rate(database, seconds));
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true });
  }
}

let sequence = 0;

async function rate(database: Database, seconds: number): Promise<number> {
  const first = sequence;
  const end = performance.now() + seconds * 1_000;
  const client = async () => {
    while (performance.now() < end) {
      const name = `w${sequence++}`;
      await database.write((tx) => insertSecret(tx, { name, value: VALUE }));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (sequence - first) / seconds;
}
