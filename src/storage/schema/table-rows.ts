import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../database.ts';

/** A value of any column. */
export type Cell = string | number | null | Uint8Array;

/** A table as it is: for what treats all tables alike, such as a backup. */
export interface TableShape {
  readonly name: string;
  /** The columns that hold something of their own; those that the database makes of others are left out. */
  readonly columns: readonly string[];
  /** Those of them that hold bytes. */
  readonly bytes: readonly string[];
  /** Those of its primary key, in order. */
  readonly key: readonly string[];
  /** What each column takes, by its name. */
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
  /** Its place in the primary key, from 1; 0 outside of it. */
  key_place: number;
  /** 0 where the column needs a value. */
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

/** Every table that holds rows of its own, by name, whoever made it. */
export async function describeTables(tx: ReadTransaction): Promise<TableShape[]> {
  const columns = tx.engine === 'sqlite' ? SQLITE_COLUMNS : POSTGRES_COLUMNS;
  const { rows } = await tx.executeQuery(CompiledQuery.raw(columns) as CompiledQuery<ColumnRow>);
  return [...Map.groupBy(rows, ({ table_name }) => table_name)].map(([name, its]) => shapeOf(name, its));
}

/** Of the types that the steps of the schema give columns, in the words of each engine. */
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

/** How many rows a table has. */
export async function countRows(tx: ReadTransaction, { name }: Pick<TableShape, 'name'>): Promise<number> {
  const count = sql<number>`select count(*) as rows from ${sql.table(name)}`;
  const { rows } = await tx.executeQuery<{ rows: number }>(
    count.compile(tx) as CompiledQuery<{ rows: number }>,
  );
  return Number(rows[0]?.rows);
}

/** All rows, in the order of the primary key, so many at once; each has the values of the columns in order. */
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

/** What the row's column of that name holds, where the table has one. */
export function valueIn(
  { columns }: Pick<TableShape, 'columns'>,
  row: readonly Cell[],
  column: string,
): Cell {
  const place = columns.indexOf(column);
  return place < 0 ? null : (row[place] ?? null);
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

/** Adds rows that `readRows` answered; they have at most 30,000 values together. */
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
