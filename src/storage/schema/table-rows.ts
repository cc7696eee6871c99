import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../database.ts';

/** A value of any column. */
export type Cell = string | number | null | Uint8Array;

/** The structure of a table, for code that handles all tables alike, such as a backup. */
export interface TableShape {
  readonly name: string;
  /** The stored columns, without generated ones. */
  readonly columns: readonly string[];
  /** The columns of bytes. */
  readonly bytes: readonly string[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  /** The type of each column, by name. */
  readonly types: ReadonlyMap<string, ColumnType>;
}

export interface ColumnType {
  kind: 'text' | 'integer' | 'real' | 'bytes';
  isNullable: boolean;
}

interface ColumnRow {
  table_name: string;
  column_name: string;
  type: string;
  /** Its position in the primary key, from 1; 0 if it is not part of the key. */
  key_place: number;
  /** 0 if the column is NOT NULL. */
  is_nullable: number;
}

const SQLITE_COLUMNS = `
  select t.name as table_name, c.name as column_name, lower(c.type) as type, c.pk as key_place,
    (c."notnull" = 0 and c.pk = 0) as is_nullable
  from sqlite_schema as t join pragma_table_xinfo(t.name) as c
  where t.type = 'table' and t.name not like 'sqlite!_%' escape '!' and c.hidden = 0
  order by t.name, c.cid`;

const POSTGRES_COLUMNS = `
  select c.table_name, c.column_name, c.data_type as type, coalesce(k.ordinal_position, 0)::int as key_place,
    (c.is_nullable = 'YES')::int as is_nullable
  from information_schema.columns as c
  join information_schema.tables as t
    on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
  left join information_schema.table_constraints as p
    on p.table_schema = c.table_schema and p.table_name = c.table_name and p.constraint_type = 'PRIMARY KEY'
  left join information_schema.key_column_usage as k
    on k.constraint_schema = p.constraint_schema and k.constraint_name = p.constraint_name
    and k.table_name = c.table_name and k.column_name = c.column_name
  where c.table_schema = current_schema() and c.is_generated = 'NEVER'
  order by c.table_name collate "C", c.ordinal_position`;

/** All base tables (not views) by name, of Atrium or not. */
export async function describeTables(tx: ReadTransaction): Promise<TableShape[]> {
  const columns = tx.engine === 'sqlite' ? SQLITE_COLUMNS : POSTGRES_COLUMNS;
  const { rows } = await tx.executeQuery(CompiledQuery.raw(columns) as CompiledQuery<ColumnRow>);
  return [...Map.groupBy(rows, ({ table_name }) => table_name)].map(([name, its]) => shapeOf(name, its));
}

/** By column type, as each engine names those of the migrations. */
const KINDS: Readonly<Record<string, ColumnType['kind']>> = {
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
  blob: 'bytes',
  bytea: 'bytes',
};

function shapeOf(name: string, columns: readonly ColumnRow[]): TableShape {
  const names = (some: readonly ColumnRow[]) => some.map(({ column_name }) => column_name);
  const inKey = columns.filter(({ key_place }) => key_place > 0);
  return {
    name,
    columns: names(columns),
    bytes: names(columns.filter(({ type }) => KINDS[type] === 'bytes')),
    key: names(inKey.sort((a, b) => a.key_place - b.key_place)),
    types: new Map(columns.map((column) => [column.column_name, typeOf(column)])),
  };
}

function typeOf({ type, is_nullable }: ColumnRow): ColumnType {
  return { kind: KINDS[type] ?? 'text', isNullable: is_nullable !== 0 };
}

export async function countRows(tx: ReadTransaction, { name }: Pick<TableShape, 'name'>): Promise<number> {
  const count = sql<number>`select count(*) as rows from ${sql.table(name)}`;
  const { rows } = await tx.executeQuery<{ rows: number }>(
    count.compile(tx) as CompiledQuery<{ rows: number }>,
  );
  return Number(rows[0]?.rows);
}

/**
 * All rows in the order of the primary key, in portions of `atOnce`; each row has the values of the columns in order.
 */
export async function* readRows(
  tx: ReadTransaction,
  shape: TableShape,
  atOnce: number,
): AsyncGenerator<Cell[][]> {
  let after: Cell[] | undefined;
  for (;;) {
    const rows = await rowsAfter(tx, shape, after, atOnce);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    after = shape.key.map((column) => valueIn(shape, last, column));
  }
}

/** The value of the column with this name in a row; null if the table has no such column. */
export function valueIn(
  { columns }: Pick<TableShape, 'columns'>,
  row: readonly Cell[],
  column: string,
): Cell {
  const index = columns.indexOf(column);
  return index < 0 ? null : (row[index] ?? null);
}

async function rowsAfter(
  tx: ReadTransaction,
  { name, columns, key }: TableShape,
  after: readonly Cell[] | undefined,
  limit: number,
): Promise<Cell[][]> {
  const rest = after ? sql`where (${refs(key)}) > (${sql.join(after)})` : sql``;
  const query = sql<Record<string, Cell>>`
    select ${refs(columns)} from ${sql.table(name)} ${rest} order by ${refs(key)} limit ${limit}`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** Inserts rows as returned by `readRows`; they have at most 30,000 values together. */
export async function insertRows(
  tx: WriteTransaction,
  { name, columns }: Pick<TableShape, 'name' | 'columns'>,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(row)})`);
  await tx.executeQuery(
    sql`insert into ${sql.table(name)} (${refs(columns)}) values ${sql.join(values)}`.compile(tx),
  );
}

function refs(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}
