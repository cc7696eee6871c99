import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { listedText } from '../query/long-rows.ts';
import { holds } from '../query/statement.ts';

/**
 * An index of the fragments of texts. For each shelf, and each gram (see text/grams.ts), it has the places of what has
 * the gram, in order, with the numbers of their rows. A place is a text that says where something stands in the order
 * of its listing.
 */
export interface GramIndex {
  /** Its primary key is the columns of the shelf, `gram`, `place` and `number`. */
  grams: 'contact_grams' | 'node_grams';
  /** The columns that tell shelves apart, with their types. */
  partition: Readonly<Record<string, 'text' | 'bigint'>>;
  /**
   * A table of rows with numbers that has `place`, `search_text` and `record`; no two of a workspace are at one place.
   */
  items: 'contacts' | 'nodes';
  /** Columns of the items that must have the values of the same names, beside those that the shelf tells. */
  matching: readonly string[];
  /** Columns by whose values, beside the workspace, an index has the items in order of place. */
  ordered: readonly string[];
}

/** The values of the columns that an index names. */
export type Values = Readonly<Record<string, string | number>>;

interface Entry {
  gram: string;
  place: string;
  number: number;
}

type Item = Record<'workspace_id' | 'place' | 'search_text' | 'record', string> & { number: number };

/** The rows of the index. */
export function entries<Alias extends string>(
  { grams }: GramIndex,
  alias: Alias,
): AliasedRawBuilder<Entry, Alias> {
  return sql<Entry>`${sql.table(grams)}`.as(alias);
}

/** The rows of what is searched. */
export function items<Alias extends string>(
  { items }: GramIndex,
  alias: Alias,
): AliasedRawBuilder<Item, Alias> {
  return sql<Item>`${sql.table(items)}`.as(alias);
}

/** Whether a row of the index is of the shelf that the values name. */
export function isInPartition({ partition }: GramIndex, alias: string, values: Values): RawBuilder<boolean> {
  return equal(Object.keys(partition), alias, values);
}

/**
 * Whether an item is one of those that an index has in order of place. SQLite would look for a workspace by its key,
 * and sort.
 */
export function isOrdered(
  { engine }: ReadTransaction,
  { ordered }: GramIndex,
  alias: string,
  values: Values,
): RawBuilder<boolean> {
  const workspace = sql.ref(`${alias}.workspace_id`);
  const isHere = sql`${engine === 'sqlite' ? sql`+${workspace}` : workspace} = ${values.workspace_id}`;
  const others = ordered.map((column) => equal([column], alias, values));
  return sql<boolean>`${sql.join([isHere, ...others], sql` and `)}`;
}

/**
 * The record of the item with a number; null where its text does not hold the fragment, or it does not match. As a
 * value of its own, asked for by nothing but its key, it is looked up by that, whatever a planner knows of the tables.
 */
export function recordWith(
  tx: ReadTransaction,
  index: GramIndex,
  values: Values,
  number: string,
  fragment: string,
): RawBuilder<string | null> {
  return sql<
    string | null
  >`(select ${recordOf(tx, index, values, 'k', fragment)} from ${sql.table(index.items)} as k
    where k.workspace_id = ${values.workspace_id} and k.number = ${sql.ref(number)})`;
}

/** The same of an item that is at hand; "" is a record that is too long to be listed with others. */
export function recordOf(
  tx: ReadTransaction,
  { matching }: GramIndex,
  values: Values,
  alias: string,
  fragment: string,
): RawBuilder<string | null> {
  const matches = matching.map((column) => equal([column], alias, values));
  const conditions = sql.join([...matches, holds(tx, `${alias}.search_text`, fragment)], sql` and `);
  return sql<string | null>`case when ${conditions} then ${listedText(`${alias}.record`)} end`;
}

function equal(columns: readonly string[], alias: string, values: Values): RawBuilder<boolean> {
  const conditions = columns.map((column) => sql`${sql.ref(`${alias}.${column}`)} = ${values[column]}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
