import { MigrationError, migrate, refuseUnknown } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { hasOwnTables, ownTables } from './own-tables.ts';
import type { SchemaTransaction, StorageEngine } from './schema-transaction.ts';

/** SQLSTATE dependent_objects_still_exist. */
const OTHERS_DEPEND = '2BP01';

/** Whether there are tables, as this version or another makes them. Creates none. */
export async function hasTables(database: StorageEngine): Promise<boolean> {
  return database.read(hasOwnTables);
}

/**
 * Removes every table that Atrium has made, with all that is in them, and nothing else. Rejects with MigrationError where
 * a newer version has made them, and where something that is not Atrium's is made of them.
 */
export async function removeTables(database: StorageEngine): Promise<void> {
  const names = await database.read(async (tx) => (await ownTables(tx)).map(({ name }) => name));
  await database.alter(async (tx) => {
    for (const name of names) await removeTable(tx, name);
  });
}

async function removeTable(tx: SchemaTransaction, name: string): Promise<void> {
  try {
    await tx.schema.dropTable(name).execute();
  } catch (error) {
    if ((error as { code?: unknown }).code !== OTHERS_DEPEND) throw error;
    throw new MigrationError(
      `Something in the database, such as a view, is made of the table ${name}: remove it, and make it again afterwards`,
      { cause: error },
    );
  }
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
