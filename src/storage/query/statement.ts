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

/** What a statement answers: its rows, or of a write that returns none, how many rows it changed. */
type Answer<Row> = Row extends InsertResult | UpdateResult | DeleteResult ? number : Row[];

/** Runs a prepared query with these values. */
export type Statement<Tx, Values, Row> = (tx: Tx, values: Values) => Promise<Answer<Row>>;

/** Those that give their rows a `number` which whoever inserts one has to know. */
type NumberedTable = 'messages' | 'nodes';

/** A query as one engine is asked it. */
interface Template {
  readonly compiled: CompiledQuery;
  readonly answersRows: boolean;
}

/** Stands in a query where a value will be. */
class Placeholder {
  readonly name: string | number;

  constructor(name: string | number) {
    this.name = name;
  }
}

/**
 * Prepares a query that is asked often: it is built and compiled once per engine, and from then on only given values.
 * Each member of `p` stands for the value of that name; a list of varying length cannot be one.
 *
 *     const findKey = statement((tx, p: { hash: string }) =>
 *       tx.selectFrom('api_keys').select(['id', 'user_id']).where('secret_hash', '=', p.hash));
 *     const [key] = await findKey(tx, { hash });
 *
 * A query that writes says so by the type of its transaction: `(tx: WriteTransaction, p: { … }) => tx.insertInto(…)`.
 */
export function statement<Row, Values extends object, Tx extends ReadTransaction = ReadTransaction>(
  build: (tx: Tx, p: Values) => Compilable<Row>,
): Statement<Tx, Values, Row> {
  const templateFor = templates(build);
  return async (tx, values) => {
    const template = templateFor(tx);
    const { rows, numAffectedRows } = await tx.executeQuery<Row>(
      given(template, values as Record<string | number, unknown>),
    );
    return (template.answersRows ? rows : Number(numAffectedRows)) as Answer<Row>;
  };
}

/**
 * Prepares the insertion of one row into a numbered table; answers the number that the row was given. SQLite knows it
 * anyway: with RETURNING it would first put the row aside, which takes as long as the insertion.
 */
export function numberedInsertion<Table extends NumberedTable, Values extends object>(
  build: (tx: WriteTransaction, p: Values) => InsertQueryBuilder<Tables, Table, InsertResult>,
): (tx: WriteTransaction, values: Values) => Promise<number> {
  const templateFor = templates((tx: WriteTransaction, p: Values) => {
    const query = build(tx, p);
    // As a reference, for the types do not know that each of these tables has the column.
    return tx.engine === 'sqlite' ? query : query.returning(sql.ref<number>('number').as('number'));
  });
  return async (tx, values) => {
    const { rows, insertId } = await tx.executeQuery<{ number: number }>(
      given(templateFor(tx), values as Record<string | number, unknown>),
    );
    const number = rows[0]?.number ?? insertId;
    if (number === undefined) throw new TypeError('The row that was inserted has no number');
    return Number(number);
  };
}

/** The query as each engine is asked it, compiled with its first use. */
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

/** The query with values in the places of its placeholders. */
function given({ compiled }: Template, values: Record<string | number, unknown>): CompiledQuery<never> {
  const { query, queryId, sql, parameters } = compiled;
  const fill = (value: unknown) => (value instanceof Placeholder ? values[value.name] : value);
  return { query, queryId, sql, parameters: parameters.map(fill) };
}

function compileTemplate(query: Compilable<unknown>): Template {
  const compiled = query.compile();
  return { compiled, answersRows: answersRows(compiled.query) };
}

function answersRows(node: RootOperationNode): boolean {
  return SelectQueryNode.is(node) || ('returning' in node && node.returning !== undefined);
}

/** Typed as the values that they stand for, because Kysely takes both the same way. */
function placeholders<Values extends object>(): Values {
  return new Proxy(
    {},
    { get: (_, name) => new Placeholder(memberOf(String(name))), ownKeys: refuseToSpread },
  ) as Values;
}

/** An index as a number: many values are a list, whose members are found faster so. */
function memberOf(name: string): string | number {
  return /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : name;
}

function refuseToSpread(): never {
  throw new TypeError('Which values there are is not known here: name each, as in { id: p.id }');
}

/** Whether the text of a column contains the fragment exactly as it is; fold both for a search without regard to case. */
export function contains(column: string, fragment: string): RawBuilder<boolean> {
  return isLike(sql.ref(column), patternOf(fragment));
}

/** The pattern of a fragment, for a prepared statement that cannot build it. */
function patternOf(fragment: string): string {
  return `%${fragment.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether a text of the database is like a pattern that patternOf made. */
function isLike(text: Expression<unknown>, pattern: string): RawBuilder<boolean> {
  return sql<boolean>`${text} LIKE ${pattern} ESCAPE '\\'`;
}

/** As `contains`, for what is asked of many rows: said as the engine of the transaction does it at least cost. */
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
