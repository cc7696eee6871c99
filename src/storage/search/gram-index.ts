import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { listedText } from '../query/long-rows.ts';
import { holds } from '../query/statement.ts';

/**
 * An index of the grams (fragments, see text/grams.ts) of texts. For each partition and gram it has the sort keys
 * (column `place`) of the items that contain the gram, in order, with the numbers of their rows. The sort key is a text
 * that orders the items of a listing.
 */
export interface GramIndex {
  /** The index table. Its primary key: the columns of the partition, `gram`, `place` and `number`. */
  grams: 'contact_grams' | 'node_grams';
  /** The columns that identify a partition, with their types. */
  partition: Readonly<Record<string, 'text' | 'bigint'>>;
  /** A numbered table with `place`, `search_text` and `record`; sort keys are unique in a workspace. */
  items: 'contacts' | 'nodes';
  /** Columns of the items that must equal the values of the same names, beside the columns of the partition. */
  matching: readonly string[];
  /** Columns that, after the workspace, precede `place` in an index of the items. */
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

/** The rows of the searched items. */
export function items<Alias extends string>(
  { items }: GramIndex,
  alias: Alias,
): AliasedRawBuilder<Item, Alias> {
  return sql<Item>`${sql.table(items)}`.as(alias);
}

/** Condition: a row of the index belongs to the partition that the values name. */
export function isInPartition({ partition }: GramIndex, alias: string, values: Values): RawBuilder<boolean> {
  return equal(Object.keys(partition), alias, values);
}

/**
 * Condition: an item is in a range that an index has in order of `place`. The unary + keeps SQLite from using the key
 * of the workspace and sorting.
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
 * The record of the item with a number; null if its text does not contain the fragment or a column does not match. A
 * scalar subquery with a condition on the key only: every query planner uses a key lookup for it, whatever its
 * statistics.
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

/** As recordWith, for a row of the query itself; "" is a record that is too long to be listed with others. */
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
