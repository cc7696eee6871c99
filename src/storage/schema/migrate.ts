import { migrations as allMigrations } from './migrations/index.ts';
import { type Migration, schemaOf } from './schema.ts';
import type { SchemaTransaction, StorageEngine } from './schema-transaction.ts';

/** The database and the program are incompatible; the message says why. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Applies all missing migrations. Several nodes may do so at once: one applies a migration, the others wait and
 * continue after it. Rejects with MigrationError when the database is newer than this program.
 */
export async function migrate(
  database: Pick<StorageEngine, 'alter'>,
  migrations: readonly Migration[] = allMigrations,
): Promise<void> {
  while (await database.alter((tx) => applyNext(tx, migrations)));
}

/** Applies the first missing migration. Returns whether there was one. */
async function applyNext(tx: SchemaTransaction, migrations: readonly Migration[]): Promise<boolean> {
  await tx.lockInstallation('migrations');
  const applied = await appliedNames(tx);
  refuseUnknown('The database', applied, migrations);
  const next = migrations[applied.length];
  if (!next) return false;
  await next.up(schemaOf(tx));
  await tx
    .insertInto('migrations')
    .values({ position: applied.length, name: next.name, applied_at: Date.now() })
    .execute();
  return true;
}

async function appliedNames(tx: SchemaTransaction): Promise<string[]> {
  const { table, integer, text } = schemaOf(tx);
  await table('migrations')
    .ifNotExists()
    .addColumn('position', integer, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('applied_at', integer, (column) => column.notNull())
    .execute();
  const rows = await tx.selectFrom('migrations').select('name').orderBy('position').execute();
  return rows.map((row) => String(row.name));
}

/**
 * Throws MigrationError if a migration is unknown, i.e. was applied by a newer version. `what`: the subject of its
 * message.
 */
export function refuseUnknown(
  what: string,
  applied: readonly string[],
  migrations: readonly Migration[] = allMigrations,
): void {
  const unknown = applied.find((name, position) => migrations[position]?.name !== name);
  if (unknown === undefined) return;
  throw new MigrationError(
    `${what} is newer than this program: it has "${unknown}", which this version does not know`,
  );
}
