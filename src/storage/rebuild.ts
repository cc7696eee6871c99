import { migrate, refuseUnknown } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { SchemaTransaction, StorageEngine } from './schema-transaction.ts';
import { describeTables } from './table-rows.ts';

/** Whether there are tables, as this version or another makes them. Creates none. */
export async function hasTables(database: StorageEngine): Promise<boolean> {
  return database.read(async (tx) => (await describeTables(tx)).length > 0);
}

/** Removes every table, with all that is in them. */
export async function removeTables(database: StorageEngine): Promise<void> {
  await database.alter(async (tx) => {
    for (const { name } of await describeTables(
      tx as SchemaTransaction & Parameters<typeof describeTables>[0],
    ))
      await tx.schema.dropTable(name).execute();
  });
}

/**
 * Makes the tables as they were after the last of these steps, or as they are now. Rejects with MigrationError where one
 * of the steps is not known here.
 */
export async function makeTables(database: StorageEngine, steps?: readonly string[]): Promise<void> {
  if (steps === undefined) return migrate(database);
  refuseUnknown('The backup', steps);
  await migrate(database, migrations.slice(0, steps.length));
}
