/** Writes pairs of counters from several clients until it is killed, and prints the name of each pair once it is kept. */
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { add, createCounters } from '../contract/storage-counters.ts';

const [path = ''] = process.argv.slice(2);
const database = await openSqlite(path);
await createCounters(database);

async function client(number: number): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${number}-${i}`;
    await database.write(async (tx) => {
      await add(tx, `${name} left`);
      await add(tx, `${name} right`);
    });
    process.stdout.write(`${name}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
