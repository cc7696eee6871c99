import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { statement } from '../query/statement.ts';
import { type GramIndex, isInPartition, recordWith, type Values } from './gram-index.ts';

const AFTER = '\u0001';

/** The sort key that directly follows this one. */
export function next(sortKey: string): string {
  return sortKey === '' ? '' : sortKey + AFTER;
}

/** An examined item: its sort key, and its record if it matches. */
export interface Seen {
  place: string;
  record: string | null;
}

/** Seeks of one statement, so that it is short: a skip scan without hits may need many. */
const MOST_SEEKS = 5_000;

/** The result of one statement of a skip scan. */
export interface SkipScanResult {
  /** The items that contain all grams, in order. */
  seen: Seen[];
  seeks: number;
  /** The sort key where to continue; undefined at the end. */
  next: string | undefined;
}

interface SkipScan {
  grams: readonly string[];
  fragment: string;
  /** The first sort key to examine. */
  start: string;
  /** Limits after which the scan stops. */
  most: { hits: number; seeks: number };
}

type SkipScanValues = Values & {
  /** A JSON array. */
  grams: string;
  count: number;
  fragment: string;
  start: string;
  mostHits: number;
  mostSteps: number;
};

/**
 * A row of the recursion. `agreed`: how many consecutive grams have led to `place`; after a hit, `place` is its
 * successor.
 */
interface Step {
  step: number;
  turn: number;
  agreed: number;
  hits: number;
  place: string;
  hit: string | null;
  /** The number of the item of the hit. */
  number: number | null;
}

/**
 * A skip scan for items that contain all of the grams: seeks from a sort key to the first entry of the next gram at or
 * after it, the grams taking turns. A sort key to which all grams lead is a hit.
 */
export function gramSkipScan(index: GramIndex) {
  const runScan = statement((tx, p: SkipScanValues) => skipScanQuery(tx, index, p));
  return async (
    tx: ReadTransaction,
    partition: Values,
    { grams, fragment, start, most }: SkipScan,
  ): Promise<SkipScanResult> => {
    const mostSteps = Math.min(most.seeks, MOST_SEEKS);
    const values = { grams: JSON.stringify(grams), count: grams.length, fragment, start };
    const steps = await runScan(tx, { ...partition, ...values, mostHits: most.hits, mostSteps });
    const seen = steps.flatMap(({ hit, record }) => (hit === null ? [] : [{ place: hit, record }]));
    const last = steps.at(-1);
    const seeks = Number(last?.step ?? 0);
    const isCut = last !== undefined && (seeks === mostSteps || Number(last.hits) === most.hits);
    return { seen, seeks, next: isCut ? last.place : undefined };
  };
}

function skipScanQuery(tx: ReadTransaction, index: GramIndex, p: SkipScanValues) {
  return tx
    .withRecursive('walk(step, turn, agreed, hits, place, hit, number)', () =>
      tx.engine === 'postgres' ? stepsOfPostgres(index, p) : stepsOfSqlite(index, p),
    )
    .selectFrom('walk as w')
    .select(['w.step', 'w.hits', 'w.place', 'w.hit'])
    .select(recordWith(tx, index, p, 'w.number', p.fragment).as('record'))
    .where(({ eb, or }) => or([eb('w.hit', 'is not', null), eb('w.step', '=', p.mostSteps)]))
    .orderBy('w.step');
}

/**
 * Joins the row of the minimum found by a subquery: otherwise SQLite would run the subquery for each use of its value.
 */
function stepsOfSqlite(index: GramIndex, p: SkipScanValues): RawBuilder<Step> {
  const table = sql.table(index.grams);
  const ofTurn = (alias: string) => entriesOfTurn(index, p, alias, sql`${p.grams} ->> w.turn`);
  return steps(p, {
    start: sql`${p.start}`,
    noHit: sql`null, null`,
    found: sql`cross join ${table} as g where ${ofTurn('g')}
      and g.place = (select min(n.place) from ${table} as n where ${ofTurn('n')} and n.place >= w.place) and`,
  });
}

function stepsOfPostgres(index: GramIndex, p: SkipScanValues): RawBuilder<Step> {
  const gram = sql`cast(${p.grams} as json) ->> cast(w.turn as integer)`;
  return steps(p, {
    start: sql`cast(${p.start} as text) collate "C"`,
    noHit: sql`cast(null as text) collate "C", cast(null as bigint)`,
    found: sql`cross join lateral (select n.place, n.number from ${sql.table(index.grams)} as n
      where ${entriesOfTurn(index, p, 'n', gram)} and n.place >= w.place order by n.place limit 1) as g where`,
  });
}

function entriesOfTurn(index: GramIndex, p: Values, alias: string, gram: RawBuilder<unknown>) {
  return sql`${isInPartition(index, alias, p)} and ${sql.ref(`${alias}.gram`)} = ${gram}`;
}

/** `found`: SQL that joins each step with the entry that its gram leads to, as alias g. */
function steps(
  { count, mostHits, mostSteps }: SkipScanValues,
  { start, noHit, found }: Record<'start' | 'noHit' | 'found', RawBuilder<unknown>>,
): RawBuilder<Step> {
  const agreed = sql`(case when g.place = w.place then w.agreed + 1 else 1 end)`;
  const isHit = sql`${agreed} = ${integer(count)}`;
  return sql<Step>`(
    select ${integer(0)}, ${integer(0)}, ${integer(0)}, ${integer(0)}, ${start}, ${noHit}
    union all
    select w.step + 1, (w.turn + 1) % ${integer(count)},
      case when ${isHit} then 0 else ${agreed} end,
      case when ${isHit} then w.hits + 1 else w.hits end,
      case when ${isHit} then g.place || cast(${AFTER} as text) else g.place end,
      case when ${isHit} then g.place end,
      case when ${isHit} then g.number end
    from walk as w ${found} w.hits < ${integer(mostHits)} and w.step < ${integer(mostSteps)}
  )`;
}

function integer(value: number): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`;
}
