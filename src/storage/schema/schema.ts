import { type ColumnBuilderCallback, type CreateTableBuilder, type Expression, sql } from 'kysely';
import type { Engine } from '../database.ts';
import type { SchemaTransaction } from './schema-transaction.ts';

type ColumnType = Expression<unknown>;

/** What a migration writes its tables with, so that both engines keep and order the same values alike. */
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
  /** A new table whose columns hold what their types say and nothing else. */
  table(name: string): CreateTableBuilder<string, never>;
  /** The same, kept in the order of its primary key: for rows of at most a few hundred bytes. */
  clusteredTable(name: string): CreateTableBuilder<string, never>;
  /** The same, of rows that have a `number`, by which what is to be small names them; it needs a `workspace_id`. */
  numberedTable(name: string): CreateTableBuilder<string, 'number'>;
  /** The same, of rows that follow those of a numbered table: each has the `number` of its own. */
  rowsOfNumbered(name: string): CreateTableBuilder<string, 'number'>;
  /** Columns of an index of such rows that end with their number, which SQLite has at the end of each entry by itself. */
  thenNumber(...columns: string[]): string[];
  /**
   * A key that begins with ids or numbers, which are unique among all workspaces: PostgreSQL has the workspace before
   * them, so that its tables can be divided by it; SQLite would repeat it in every index for nothing.
   */
  scopedKey<Column extends string>(...columns: Column[]): (Column | 'workspace_id')[];
}

/** The schema as the engine of the transaction has it. */
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
    // So declared it is the rowid itself, and that of a row that is gone is given to no other.
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
    // The collation of the database is whatever its host happened to have.
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

/** One step of the schema, forward only. It is kept whole or not at all, under its name. */
export interface Migration {
  readonly name: string;
  up(schema: Schema): Promise<void>;
}
