import type { Kysely } from 'kysely';
import type { Database, WriteTransaction } from '../database.ts';

/** Tables as a migration sees them, untyped: the types describe only the newest schema. */
type TablesOfAnyTime = Record<string, Record<string, unknown>>;

/** A write transaction that may also change the schema. */
export interface SchemaTransaction
  extends Pick<WriteTransaction, 'engine' | 'lockInstallation'>,
    Pick<
      Kysely<TablesOfAnyTime>,
      'schema' | 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'executeQuery' | 'getExecutor'
    > {}

/** A storage engine: the port for the product, and schema changes for the migrations. */
export interface StorageEngine extends Database {
  /** As `write`; schema changes are part of the transaction. */
  alter<T>(work: (tx: SchemaTransaction) => Promise<T>): Promise<T>;
}
