import { CompiledQuery } from 'kysely';
import type { Engine, ReadTransaction } from '../database.ts';

/** What must hold among the rows of an area, whoever wrote them and whatever broke off. */
export interface IntegrityRule {
  readonly says: string;
  /** A query of the ids (`id`) of what breaks the rule. */
  broken(engine: Engine): string;
}

/** How many rows break a rule, and one of them. */
interface Breach {
  readonly rule: string;
  readonly count: number;
  readonly example: string;
}

/** Looks for what breaks a rule; undefined when it holds. Reads whole tables. */
export async function findBreach(
  tx: ReadTransaction,
  { says, broken }: IntegrityRule,
): Promise<Breach | undefined> {
  const sql = `select count(*) as count, min(id) as example from (${broken(tx.engine)}) as broken`;
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(sql) as CompiledQuery<{ count: number; example: string | null }>,
  );
  const { count = 0, example } = rows[0] ?? {};
  return count === 0 ? undefined : { rule: says, count, example: example ?? '' };
}

/** The elements of the JSON array in a column, as rows that have them in `value`. */
export function elementsOf(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_each(${column})` : `jsonb_array_elements(${column}::jsonb)`;
}

/** The text that an element of such an array is. */
export function textOf(engine: Engine, value: string): string {
  return engine === 'sqlite' ? value : `(${value} #>> '{}')`;
}

/** A member of the JSON object in a column, as text; null where it is not there. */
export function memberOf(engine: Engine, column: string, ...path: readonly string[]): string {
  return engine === 'sqlite'
    ? `json_extract(${column}, '$.${path.join('.')}')`
    : `(${column}::jsonb #>> '{${path.join(',')}}')`;
}

/** A query of the rows of a tree, of those that fulfil a condition, whose way up never comes to a parent "": circles. */
export function notBelowRoot(table: string, owner: string, condition: string): string {
  return `
    with recursive reached(workspace_id, owner, id) as (
      select workspace_id, ${owner}, id from ${table} where parent_id = '' and ${condition}
      union select t.workspace_id, t.${owner}, t.id from reached
      join ${table} as t on t.${owner} = reached.owner and t.parent_id = reached.id
        and t.workspace_id = reached.workspace_id
      where ${condition})
    select t.id from ${table} as t
    left join reached on reached.workspace_id = t.workspace_id and reached.id = t.id
    where ${condition} and reached.id is null`;
}

/** How many elements the JSON array in a column has. */
export function arrayLength(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_array_length(${column})` : `jsonb_array_length(${column}::jsonb)`;
}

/** What a column may hold beside null: one of a closed set, or a number within bounds. */
export type ColumnRule = { oneOf: readonly string[] } | { least: number; most: number };

/** Of what counts, and of sizes in bytes. */
export const COUNT: ColumnRule = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** As `COUNT`, of what there is one of at least. */
export const FROM_ONE: ColumnRule = { least: 1, most: Number.MAX_SAFE_INTEGER };

/** 0 or 1. */
export const TRUTH: ColumnRule = { least: 0, most: 1 };

/** The furthest time from 1970 that a Date has, in milliseconds. */
const FURTHEST_TIME = 8.64e15;

/** Milliseconds since the epoch, of what this server has done. */
export const TIME: ColumnRule = { least: 0, most: FURTHEST_TIME };

/** Milliseconds from the epoch, before it too. */
export const ANY_TIME: ColumnRule = { least: -FURTHEST_TIME, most: FURTHEST_TIME };

/** The bounds of a checksum, CRC-32. */
export const CHECKSUM: ColumnRule = { least: 0, most: 2 ** 32 - 1 };

/** What the columns of a table may hold. */
export interface ColumnsRule extends IntegrityRule {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnRule>>;
}

/**
 * That no column of a table holds a number out of bounds or a word out of its set. Every row is read once. What breaks the
 * rule is named by `id`, a column or an expression of one, and by the column.
 */
export function columnsHold(
  table: string,
  columns: Readonly<Record<string, ColumnRule>>,
  id = 'id',
): ColumnsRule {
  const wrong = Object.entries(columns).map(
    ([column, rule]) => `when ${breaks(column, rule)} then '${column}'`,
  );
  return {
    table,
    columns,
    says: `Each row of ${table} holds what its columns may hold`,
    broken: () => `
      select r.id || ' (' || r.wrong || ')' as id
      from (select cast(${id} as text) as id, case ${wrong.join(' ')} end as wrong from ${table}) as r
      where r.wrong is not null`,
  };
}

function breaks(column: string, rule: ColumnRule): string {
  if ('oneOf' in rule) return `${column} not in (${rule.oneOf.map((value) => `'${value}'`).join(', ')})`;
  return `${column} < ${rule.least} or ${column} > ${rule.most}`;
}

/** What holds of the rows that belong to no area. */
export const GROUND_INTEGRITY: readonly IntegrityRule[] = [
  columnsHold(
    'idempotency_records',
    { status: { least: 200, most: 599 }, expires_at: TIME },
    'idempotency_key',
  ),
  columnsHold('pending_blobs', { created_at: TIME }, 'blob_key'),
  columnsHold('blob_checksums', { checksum: CHECKSUM }, 'blob_key'),
];
