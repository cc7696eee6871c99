import { CompiledQuery } from 'kysely';
import type { Engine, ReadTransaction } from '../database.ts';
import { migrations } from './migrations/index.ts';
import { hasTables } from './rebuild.ts';
import type { StorageEngine } from './schema-transaction.ts';

/** What a database says of itself. */
export interface InspectedDatabase {
  engine: Engine;
  version: string;
  /** The steps of the schema that it does not have yet, in order. */
  missing: string[];
  /** A step that it has and this program does not know; undefined where there is none. */
  unknown: string | undefined;
  /** When a step was last applied, in milliseconds since the epoch; 0 where none was. */
  lastChange: number;
  /** What its clock is ahead, in milliseconds. */
  skewMs: number;
}

const VERSION = {
  sqlite: 'select sqlite_version() as version',
  postgres: "select current_setting('server_version') as version",
} as const;

/** Looks at a database and changes nothing. Rejects with StorageUnavailable. */
export async function inspect(database: StorageEngine): Promise<InspectedDatabase> {
  const isMade = await hasTables(database);
  return database.read(async (tx) => {
    const { rows } = await tx.executeQuery<{ version: string }>(CompiledQuery.raw(VERSION[tx.engine]));
    const skewMs = (await tx.now()) - Date.now();
    return { engine: tx.engine, version: rows[0]?.version ?? '', skewMs, ...(await stepsOf(tx, isMade)) };
  });
}

async function stepsOf(tx: ReadTransaction, isMade: boolean) {
  const query = 'select name, applied_at from migrations order by position';
  const { rows: applied } = isMade
    ? await tx.executeQuery<{ name: string; applied_at: number }>(CompiledQuery.raw(query))
    : { rows: [] };
  return {
    missing: migrations.slice(applied.length).map(({ name }) => name),
    unknown: applied.find(({ name }, i) => migrations[i]?.name !== name)?.name,
    lastChange: Math.max(0, ...applied.map(({ applied_at: at }) => Number(at))),
  };
}
