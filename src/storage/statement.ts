import {
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  type InsertResult,
  type RootOperationNode,
  SelectQueryNode,
  type UpdateResult,
} from 'kysely';
import type { Engine, ReadTransaction } from './database.ts';

/** What a statement answers: its rows, or of a write that returns none, how many rows it changed. */
export type Answer<Row> = Row extends InsertResult | UpdateResult | DeleteResult ? number : Row[];

/** Runs a prepared query with these values. */
export type Statement<Tx, Values, Row> = (tx: Tx, values: Values) => Promise<Answer<Row>>;

/** A query as one engine is asked it. */
interface Template {
  readonly compiled: CompiledQuery;
  readonly answersRows: boolean;
}

/** Stands in a query where a value will be. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
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
  const templates = new Map<Engine, Template>();
  return async (tx, values) => {
    let template = templates.get(tx.engine);
    if (!template) {
      template = compileTemplate(build(tx, placeholders<Values>()));
      templates.set(tx.engine, template);
    }
    const { rows, numAffectedRows } = await tx.executeQuery<Row>(
      given(template, values as Record<string, unknown>),
    );
    return (template.answersRows ? rows : Number(numAffectedRows)) as Answer<Row>;
  };
}

/** The query with values in the places of its placeholders. */
function given({ compiled }: Template, values: Record<string, unknown>): CompiledQuery<never> {
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
    { get: (_, name) => new Placeholder(String(name)), ownKeys: refuseToSpread },
  ) as Values;
}

function refuseToSpread(): never {
  throw new TypeError('Which values there are is not known here: name each, as in { id: p.id }');
}
