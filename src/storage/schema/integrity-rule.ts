import { type RawBuilder, sql } from 'kysely';
import type { Engine, ReadTransaction } from '../database.ts';

/** An invariant of the rows of an area, which must hold even after a crash. */
export interface IntegrityRule {
  /** The rule as a sentence. */
  readonly says: string;
  /** A query of the ids (`id`) of the rows that violate the rule. */
  broken(engine: Engine): string;
}

/** The same of the rows of one workspace, asked of each: servers of a cluster follow a tree only within one (OPS-68). */
export interface WorkspaceRule {
  readonly says: string;
  brokenIn(workspaceId: string): RawBuilder<unknown>;
}

/** The number of rows that violate a rule, and the id of one. */
interface Breach {
  readonly rule: string;
  readonly count: number;
  readonly example: string;
}

/** Checks a rule; undefined when it holds. Reads whole tables. */
export async function findBreach(
  tx: ReadTransaction,
  rule: IntegrityRule | WorkspaceRule,
): Promise<Breach | undefined> {
  const found: Found[] = [];
  if ('brokenIn' in rule) {
    const workspaces = (await tx.executeQuery(tx.selectFrom('workspaces').select('id').orderBy('id'))).rows;
    for (const { id } of workspaces) found.push(await countRows(tx, rule.brokenIn(id)));
  } else found.push(await countRows(tx, sql.raw(rule.broken(tx.engine))));
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const example = found.find((one) => one.example !== null)?.example;
  return count === 0 ? undefined : { rule: rule.says, count, example: example ?? '' };
}

interface Found {
  count: number;
  example: string | null;
}

async function countRows(tx: ReadTransaction, broken: RawBuilder<unknown>): Promise<Found> {
  const query = sql<Found>`select count(*) as count, min(id) as example from (${broken}) as broken`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return rows[0] ?? { count: 0, example: null };
}

/** SQL: the elements of the JSON array in a column, as rows with the column `value`. */
export function elementsOf(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_each(${column})` : `jsonb_array_elements(${column}::jsonb)`;
}

/** SQL: the text of an element of elementsOf. */
export function textOf(engine: Engine, value: string): string {
  return engine === 'sqlite' ? value : `(${value} #>> '{}')`;
}

/** SQL: a member of the JSON object in a column, as text; null if it is absent. */
export function memberOf(engine: Engine, column: string, ...path: readonly string[]): string {
  return engine === 'sqlite'
    ? `json_extract(${column}, '$.${path.join('.')}')`
    : `(${column}::jsonb #>> '{${path.join(',')}}')`;
}

/** The rule that the ancestors of each row of a tree, among those that meet a condition, reach the root (""): no cycles. */
export function belowRoot(says: string, table: string, owner: string, condition: string): WorkspaceRule {
  const [tree, ownedBy, isMember] = [sql.table(table), sql.ref(owner), sql.raw(condition)];
  return {
    says,
    brokenIn: (workspaceId) => sql`
      with recursive reached(owner, id) as (
        select ${ownedBy}, id from ${tree} where workspace_id = ${workspaceId} and parent_id = '' and ${isMember}
        union select t.${ownedBy}, t.id from reached
        join ${tree} as t on t.${ownedBy} = reached.owner and t.parent_id = reached.id
        where t.workspace_id = ${workspaceId} and ${isMember})
      select t.id from ${tree} as t
      left join reached on reached.id = t.id
      where t.workspace_id = ${workspaceId} and ${isMember} and reached.id is null`,
  };
}

/** SQL: the number of elements of the JSON array in a column. */
export function arrayLength(engine: Engine, column: string): string {
  return engine === 'sqlite' ? `json_array_length(${column})` : `jsonb_array_length(${column}::jsonb)`;
}

/** The valid values of a column beside null: a closed set, or a range of numbers. */
export type ColumnRule = { oneOf: readonly string[] } | { least: number; most: number };

/** Counts, and sizes in bytes. */
export const COUNT: ColumnRule = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** Counts from 1. */
export const FROM_ONE: ColumnRule = { least: 1, most: Number.MAX_SAFE_INTEGER };

/** 0 or 1. */
export const TRUTH: ColumnRule = { least: 0, most: 1 };

/** The range of a Date around 1970, in milliseconds. */
const FURTHEST_TIME = 8.64e15;

/** Milliseconds since the epoch, of events on this server. */
export const TIME: ColumnRule = { least: 0, most: FURTHEST_TIME };

/** Milliseconds relative to the epoch, also negative. */
export const ANY_TIME: ColumnRule = { least: -FURTHEST_TIME, most: FURTHEST_TIME };

/** The range of a CRC-32 checksum. */
export const CHECKSUM: ColumnRule = { least: 0, most: 2 ** 32 - 1 };

/** A rule on the values of the columns of a table. */
export interface ColumnsRule extends IntegrityRule {
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnRule>>;
}

/**
 * The rule that no column of a table has a number out of range or a text outside its set. Reads every row once. A
 * violation is reported by `id`, a column or an expression, and the column.
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

/** The integrity rules of the tables that belong to no area. */
export const GROUND_INTEGRITY: readonly IntegrityRule[] = [
  columnsHold(
    'idempotency_records',
    { status: { least: 200, most: 599 }, expires_at: TIME },
    'idempotency_key',
  ),
  columnsHold('pending_blobs', { created_at: TIME }, 'blob_key'),
  columnsHold(
    'workspace_moves',
    {
      state: { oneOf: ['leaving', 'left', 'arriving', 'arrived'] },
      claimed_until: TIME,
      began_at: TIME,
    },
    'workspace_id',
  ),
  columnsHold('blob_checksums', { checksum: CHECKSUM }, 'blob_key'),
];
