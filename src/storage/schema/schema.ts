import { type ColumnBuilderCallback, type CreateTableBuilder, type Expression, sql } from 'kysely';
import type { Engine } from '../database.ts';
import type { SchemaTransaction } from './schema-transaction.ts';

type ColumnType = Expression<unknown>;

/** The vocabulary of migrations, by which both engines store and order the same values alike. */
export interface Schema {
  readonly engine: Engine;
  readonly tx: SchemaTransaction;
  /** Compared byte by byte. */
  readonly text: ColumnType;
  /** 64 bits. */
  readonly integer: ColumnType;
  /** 64 bits. */
  readonly real: ColumnType;
  readonly bytes: ColumnType;
  /** A new table that accepts only values of the declared types. */
  table(name: string): CreateTableBuilder<string, never>;
  /** As `table`, clustered by its primary key: for rows of at most a few hundred bytes. */
  clusteredTable(name: string): CreateTableBuilder<string, never>;
  /** As `table`, with an assigned `number` for compact references to its rows; it needs a `workspace_id`. */
  numberedTable(name: string): CreateTableBuilder<string, 'number'>;
  /** As `table`, for rows that belong one to one to rows of a numbered table and have their `number`. */
  rowsOfNumbered(name: string): CreateTableBuilder<string, 'number'>;
  /**
   * The columns of an index of numbered rows, followed by `number`; SQLite appends it to each entry itself (as the
   * rowid).
   */
  thenNumber(...columns: string[]): string[];
  /**
   * A key that begins with ids or numbers, which are unique across workspaces. On PostgreSQL the workspace precedes
   * them, so that tables can be partitioned by it; on SQLite it would only enlarge every index.
   */
  scopedKey<Column extends string>(...columns: Column[]): (Column | 'workspace_id')[];
}

/** The schema vocabulary of the transaction's engine. */
export function schemaOf(tx: SchemaTransaction): Schema {
  return tx.engine === 'sqlite' ? sqliteSchema(tx) : postgresSchema(tx);
}

function sqliteSchema(tx: SchemaTransaction): Schema {
  return {
    engine: tx.engine,
    tx,
    text: sql`text`,
    integer: sql`integer`,
    real: sql`real`,
    bytes: sql`blob`,
    table: (name) => tx.schema.createTable(name).modifyEnd(sql`strict`),
    clusteredTable: (name) => tx.schema.createTable(name).modifyEnd(sql`strict, without rowid`),
    // Declared so, the column is the rowid itself, and numbers of deleted rows are never reused.
    numberedTable: (name) =>
      tx.schema
        .createTable(name)
        .addColumn('number', sql`integer`, (column) => column.primaryKey().autoIncrement())
        .modifyEnd(sql`strict`),
    rowsOfNumbered: (name) =>
      tx.schema
        .createTable(name)
        .addColumn('number', sql`integer`, (column) => column.primaryKey())
        .modifyEnd(sql`strict`),
    thenNumber: (...columns) => columns,
    scopedKey: (...columns) => columns,
  };
}

function postgresSchema(tx: SchemaTransaction): Schema {
  return {
    engine: tx.engine,
    tx,
    // Explicit, because the collation of the database depends on its host.
    text: sql`text collate "C"`,
    integer: sql`bigint`,
    real: sql`double precision`,
    bytes: sql`bytea`,
    table: (name) => tx.schema.createTable(name),
    clusteredTable: (name) => tx.schema.createTable(name),
    numberedTable: (name) => withNumber(tx, name, (column) => column.generatedByDefaultAsIdentity()),
    rowsOfNumbered: (name) => withNumber(tx, name, (column) => column.notNull()),
    thenNumber: (...columns) => [...columns, 'number'],
    scopedKey: (...columns) => ['workspace_id', ...columns],
  };
}

function withNumber(
  tx: SchemaTransaction,
  name: string,
  build: ColumnBuilderCallback,
): CreateTableBuilder<string, 'number'> {
  const table = tx.schema.createTable(name) as CreateTableBuilder<string, 'workspace_id'>;
  return table
    .addColumn('number', sql`bigint`, build)
    .addPrimaryKeyConstraint(`${name}_by_number`, ['workspace_id', 'number']) as CreateTableBuilder<
    string,
    'number'
  >;
}

/** One migration, forward only, applied atomically and recorded by its name. */
export interface Migration {
  readonly name: string;
  up(schema: Schema): Promise<void>;
}
