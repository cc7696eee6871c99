import {
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  type Expression,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  type RootOperationNode,
  SelectQueryNode,
  sql,
  type UpdateResult,
} from 'kysely';
import type { Engine, ReadTransaction, WriteTransaction } from '../database.ts';
import type { Tables } from '../schema/tables.ts';

/** The result of a statement: its rows, or the number of changed rows for a write without RETURNING. */
type Result<Row> = Row extends InsertResult | UpdateResult | DeleteResult ? number : Row[];

/** Runs a prepared query with these values. */
export type Statement<Tx, Values, Row> = (tx: Tx, values: Values) => Promise<Result<Row>>;

/** The tables whose rows get a `number` that the inserting code needs. */
type NumberedTable = 'mail_folders' | 'messages' | 'nodes';

/** A query compiled for one engine. */
interface Template {
  readonly compiled: CompiledQuery;
  readonly returnsRows: boolean;
}

/** Stands for a value in a compiled query. */
class Placeholder {
  readonly name: string | number;

  constructor(name: string | number) {
    this.name = name;
  }
}

/**
 * Prepares a frequent query: it is built and compiled once per engine; each call only binds values. Each member of `p`
 * stands for the value of that name; a list of varying length cannot be one.
 *
 *     const findKey = statement((tx, p: { hash: string }) =>
 *       tx.selectFrom('api_keys').select(['id', 'user_id']).where('secret_hash', '=', p.hash));
 *     const [key] = await findKey(tx, { hash });
 *
 * A query that writes declares a write transaction: `(tx: WriteTransaction, p: { … }) => tx.insertInto(…)`.
 */
export function statement<Row, Values extends object, Tx extends ReadTransaction = ReadTransaction>(
  build: (tx: Tx, p: Values) => Compilable<Row>,
): Statement<Tx, Values, Row> {
  const templateFor = templates(build);
  return async (tx, values) => {
    const template = templateFor(tx);
    const { rows, numAffectedRows } = await tx.executeQuery<Row>(
      withValues(template, values as Record<string | number, unknown>),
    );
    return (template.returnsRows ? rows : Number(numAffectedRows)) as Result<Row>;
  };
}

/** Prepares a frequent write as `statement` does. It is sent (see WriteTransaction): nobody learns how many rows it changes. */
export function command<Values extends object>(
  build: (tx: WriteTransaction, p: Values) => Compilable<InsertResult | UpdateResult | DeleteResult>,
): (tx: WriteTransaction, values: Values) => Promise<void> {
  const templateFor = templates(build);
  return (tx, values) => tx.send(withValues(templateFor(tx), values as Record<string | number, unknown>));
}

/** As `command`, for the insertion of rows that must be new (see WriteTransaction.claim). */
export function claim<Values extends object>(
  build: (tx: WriteTransaction, p: Values) => Compilable<InsertResult>,
): (tx: WriteTransaction, values: Values) => Promise<void> {
  const templateFor = templates(build);
  return (tx, values) => tx.claim(withValues(templateFor(tx), values as Record<string | number, unknown>));
}

/**
 * Prepares the insertion of one row into a numbered table; returns the number of the row. On SQLite it is the insert
 * id: RETURNING would first copy the row, which takes as long as the insertion.
 */
export function numberedInsertion<Table extends NumberedTable, Values extends object>(
  build: (tx: WriteTransaction, p: Values) => InsertQueryBuilder<Tables, Table, InsertResult>,
): (tx: WriteTransaction, values: Values) => Promise<number> {
  const templateFor = templates((tx: WriteTransaction, p: Values) => {
    const query = build(tx, p);
    // A raw reference, because the types do not express that each of these tables has the column.
    return tx.engine === 'sqlite' ? query : query.returning(sql.ref<number>('number').as('number'));
  });
  return async (tx, values) => {
    const { rows, insertId } = await tx.executeQuery<{ number: number }>(
      withValues(templateFor(tx), values as Record<string | number, unknown>),
    );
    const number = rows[0]?.number ?? insertId;
    if (number === undefined) throw new TypeError('The row that was inserted has no number');
    return Number(number);
  };
}

const nextNumber = statement((tx, p: { table: NumberedTable }) =>
  tx
    .selectFrom(
      sql<{ number: number }>`nextval(pg_get_serial_sequence(${p.table}, 'number'))`.as<'n'>(sql`n(number)`),
    )
    .select('n.number'),
);

/**
 * Takes the number of a row before it is inserted, so that what refers to it is sent without waiting for the insertion.
 * Undefined on SQLite, where the insertion numbers the row and nothing waits. A write like any other: behind the locks.
 */
export async function takeNumber(tx: WriteTransaction, table: NumberedTable): Promise<number | undefined> {
  return tx.engine === 'sqlite' ? undefined : (await nextNumber(tx, { table }))[0]?.number;
}

/** The compiled query of each engine; compiles on first use. */
function templates<Values extends object, Tx extends ReadTransaction>(
  build: (tx: Tx, p: Values) => Compilable<unknown>,
): (tx: Tx) => Template {
  const compiled = new Map<Engine, Template>();
  return (tx) => {
    let template = compiled.get(tx.engine);
    if (!template) {
      template = compileTemplate(build(tx, placeholders<Values>()));
      compiled.set(tx.engine, template);
    }
    return template;
  };
}

/** The query with its placeholders replaced by values. */
function withValues({ compiled }: Template, values: Record<string | number, unknown>): CompiledQuery<never> {
  const { query, queryId, sql, parameters } = compiled;
  const fill = (value: unknown) => (value instanceof Placeholder ? values[value.name] : value);
  return { query, queryId, sql, parameters: parameters.map(fill) };
}

function compileTemplate(query: Compilable<unknown>): Template {
  const compiled = query.compile();
  return { compiled, returnsRows: returnsRows(compiled.query) };
}

function returnsRows(node: RootOperationNode): boolean {
  return SelectQueryNode.is(node) || ('returning' in node && node.returning !== undefined);
}

/** Typed as the values that they stand for, because Kysely treats both alike. */
function placeholders<Values extends object>(): Values {
  return new Proxy(
    {},
    { get: (_, name) => new Placeholder(memberOf(String(name))), ownKeys: refuseToSpread },
  ) as Values;
}

/** Converts an array index to a number: lookups of many values in a list are faster by number. */
function memberOf(name: string): string | number {
  return /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : name;
}

function refuseToSpread(): never {
  throw new TypeError('Which values there are is not known here: name each, as in { id: p.id }');
}

/** Condition: the text of a column contains the exact fragment; fold both for a case-insensitive search. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return isLike(sql.ref(column), patternOf(fragment));
}

/** The LIKE pattern of a fragment. */
function patternOf(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Condition: a text matches a pattern of patternOf. */
function isLike(text: Expression<unknown>, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${text} LIKE ${pattern} ESCAPE '\\'`;
}

/** As `contains`, for conditions on many rows: uses the fastest function of the engine. */
export function holds(
  { engine }: Pick<ReadTransaction, 'engine'>,
  column: string | Expression<unknown>,
  fragment: string,
): RawBuilder<boolean> {
  const text = typeof column === 'string' ? sql.ref(column) : column;
  const sought = sql`cast(${fragment} as text)`;
  return engine === 'sqlite'
    ? sql<boolean>`instr(${text}, ${sought}) > 0`
    : sql<boolean>`strpos(${text}, ${sought}) > 0`;
}
