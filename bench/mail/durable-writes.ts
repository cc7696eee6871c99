import type { WriteTransaction } from '../../src/storage/database.ts';
import { statement } from '../../src/storage/query/statement.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';

const insertSecret = statement((tx: WriteTransaction, p: { name: string; value: Uint8Array }) =>
  tx.insertInto('server_secrets').values({ name: p.name, value: p.value }),
);

/** Durable writes of one row of 200 bytes a second into a new SQLite file, by so many clients. */
export async function durableWrites(path: string, clients: number, seconds: number): Promise<number> {
  const database = await openSqlite(path);
  await migrate(database);
  const value = new Uint8Array(200);
  let written = 0;
  const end = performance.now() + seconds * 1_000;
  const client = async () => {
    while (performance.now() < end)
      await database.write((tx) => insertSecret(tx, { name: `w${written++}`, value }));
  };
  await Promise.all(Array.from({ length: clients }, client));
  await database.close();
  return written / seconds;
}
