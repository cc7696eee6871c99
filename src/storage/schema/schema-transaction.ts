import type { Kysely } from 'kysely';
import type { Database, WriteTransaction } from '../database.ts';

/** Tables as a migration sees them: what they look like at that time, no type knows. */
type TablesOfAnyTime = Record<string, Record<string, unknown>>;

/** A write that may change the schema too. */
export interface SchemaTransaction
  extends Pick<WriteTransaction, 'engine' | 'lock'>,
    Pick<
      Kysely<TablesOfAnyTime>,
      'schema' | 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'executeQuery' | 'getExecutor'
    > {}

/** What an engine offers: the port to the product, and changing the schema to the migrations. */
export interface StorageEngine extends Database {
  /** As `write`; the schema changes with it or not at all. */
  alter<T>(work: (tx: SchemaTransaction) => Promise<T>): Promise<T>;
}
