/**
 * Writes one large value by each of several statements. Says how many of the values the process holds afterwards. A process
 * of its own, since it counts all of its memory: what SQLite holds V8 does not know of.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { collectGarbage } from '../live-bytes.ts';

const STATEMENTS = 6;
/** The C library gives memory back at once from 32 MiB on. */
const LARGE = 40 * 1024 * 1024;

const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bound-'));
const database = await openDatabase({ databaseUrl: undefined, dataDir });
await migrate(database);

/** By a statement for each number of rows. */
async function write(size: number): Promise<void> {
  for (let rows = 1; rows <= STATEMENTS; rows++) {
    const small = Array.from({ length: rows - 1 }, () => crypto.randomUUID());
    // A name is a text, a value is bytes.
    const value = new Uint8Array(rows % 2 === 0 ? size : 1);
    const names = [rows % 2 === 0 ? crypto.randomUUID() : textOf(size), ...small];
    const secrets = names.map((name, i) => ({ name, value: i === 0 ? value : new Uint8Array(1) }));
    await database.write((tx) => tx.insertInto('server_secrets').values(secrets).execute());
  }
  collectGarbage();
}

/** A new text each time. */
function textOf(size: number): string {
  return crypto.randomUUID().padEnd(size, '.');
}

await write(1);
const before = process.memoryUsage.rss();
await write(LARGE);
console.log((process.memoryUsage.rss() - before) / LARGE);
await database.close();
await rm(dataDir, { recursive: true });
