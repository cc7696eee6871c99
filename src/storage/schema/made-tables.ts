import { SqliteConnection } from '../sqlite/connection.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { SqliteSession } from '../sqlite/session.ts';
import { type Transaction, TransactionRun } from '../transaction.ts';
import { migrate, refuseUnknown } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { SchemaTransaction } from './schema-transaction.ts';
import { describeTables, type TableShape } from './table-rows.ts';

/**
 * The tables that steps of the schema make, with their columns, found by making them in memory; so that of a file, or of
 * a database in which others have tables too, can be said what belongs there. `what` names what has the steps. Rejects
 * with MigrationError where one is not known here.
 */
export async function tablesMadeBy(steps: readonly string[], what: string): Promise<TableShape[]> {
  refuseUnknown(what, steps);
  const connection = new SqliteConnection(':memory:', 'write');
  try {
    const alter = <T>(work: (tx: SchemaTransaction) => Promise<T>) =>
      inTransaction(connection, (tx) => work(tx as unknown as SchemaTransaction));
    await migrate({ alter }, migrations.slice(0, steps.length));
    return await inTransaction(connection, describeTables);
  } finally {
    connection.close();
  }
}

async function inTransaction<T>(
  connection: SqliteConnection,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  connection.run('begin');
  const result = await new TransactionRun(sqliteDialect, new SqliteSession(connection, () => undefined)).run(
    work,
  );
  connection.run('commit');
  return result;
}
