/**
 * Writes one large value by each of several statements. Says how many of the values the process holds afterwards. A process
 * of its own, since it counts all of its memory: what SQLite holds V8 does not know of.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { collectGarbage } from '../live-bytes.ts';

const STATEMENTS = 5;
/** The C library gives memory back at once from 32 MiB on. */
const LARGE = 40 * 1024 * 1024;

const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bound-'));
const database = await openDatabase({ databaseUrl: undefined, dataDir });
await migrate(database);

/** By a statement for each number of rows. */
async function write(value: Uint8Array): Promise<void> {
  for (let rows = 1; rows <= STATEMENTS; rows++) {
    const small = Array.from({ length: rows - 1 }, () => new Uint8Array(1));
    const secrets = [value, ...small].map((value) => ({ name: crypto.randomUUID(), value }));
    await database.write((tx) => tx.insertInto('server_secrets').values(secrets).execute());
  }
  collectGarbage();
}

await write(new Uint8Array(1));
const before = process.memoryUsage.rss();
await write(new Uint8Array(LARGE));
console.log((process.memoryUsage.rss() - before) / LARGE);
await database.close();
await rm(dataDir, { recursive: true });
