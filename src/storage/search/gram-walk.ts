import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { statement } from '../query/statement.ts';
import { type GramIndex, isInPartition, recordWith, type Values } from './gram-index.ts';

const AFTER = '\u0001';

/** Comes after the place that it is made of, and before every other. */
export function next(place: string): string {
  return place === '' ? '' : place + AFTER;
}

/** A place that was looked at, and what is there if it is what was looked for. */
export interface Seen {
  place: string;
  record: string | null;
}

/** Leaps of one statement, so that none takes long: a walk that finds nothing may need many. */
const MOST_LEAPS = 5_000;

/** What a part of a walk came to. */
export interface Walked {
  /** What has all grams, in order. */
  seen: Seen[];
  leaps: number;
  /** Where to go on; undefined at the end. */
  next: string | undefined;
}

interface Walk {
  grams: readonly string[];
  fragment: string;
  /** The first place that is looked at. */
  start: string;
  /** Places that have all grams, and leaps, after which the walk stops. */
  most: { hits: number; leaps: number };
}

type WalkValues = Values & {
  /** A JSON array. */
  grams: string;
  count: number;
  fragment: string;
  start: string;
  mostHits: number;
  mostSteps: number;
};

/** One step: how many grams in turn have led to `place`; after a hit, `place` is what comes next. */
interface Step {
  step: number;
  turn: number;
  agreed: number;
  hits: number;
  place: string;
  hit: string | null;
  /** The number of what is at the hit. */
  number: number | null;
}

/**
 * Looks for what has all of the grams, by leaps: from a place to the first entry of the next gram at or after it, and
 * so on in turn. When each gram has led to the same place, that is a hit.
 */
export function gramWalk(index: GramIndex) {
  const walkOn = statement((tx, p: WalkValues) => walkQuery(tx, index, p));
  return async (
    tx: ReadTransaction,
    partition: Values,
    { grams, fragment, start, most }: Walk,
  ): Promise<Walked> => {
    const mostSteps = Math.min(most.leaps, MOST_LEAPS);
    const values = { grams: JSON.stringify(grams), count: grams.length, fragment, start };
    const steps = await walkOn(tx, { ...partition, ...values, mostHits: most.hits, mostSteps });
    const seen = steps.flatMap(({ hit, record }) => (hit === null ? [] : [{ place: hit, record }]));
    const last = steps.at(-1);
    const leaps = Number(last?.step ?? 0);
    const isCut = last !== undefined && (leaps === mostSteps || Number(last.hits) === most.hits);
    return { seen, leaps, next: isCut ? last.place : undefined };
  };
}

function walkQuery(tx: ReadTransaction, index: GramIndex, p: WalkValues) {
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
 * The place is found twice, once as the least and once as a row: so that its subquery is not run for each of its uses.
 */
function stepsOfSqlite(index: GramIndex, p: WalkValues): RawBuilder<Step> {
  const table = sql.table(index.grams);
  const ofTurn = (alias: string) => entriesOfTurn(index, p, alias, sql`${p.grams} ->> w.turn`);
  return steps(p, {
    start: sql`${p.start}`,
    noHit: sql`null, null`,
    found: sql`cross join ${table} as g where ${ofTurn('g')}
      and g.place = (select min(n.place) from ${table} as n where ${ofTurn('n')} and n.place >= w.place) and`,
  });
}

function stepsOfPostgres(index: GramIndex, p: WalkValues): RawBuilder<Step> {
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

/** `found`: what joins each step with the entry that its gram leads to, called g. */
function steps(
  { count, mostHits, mostSteps }: WalkValues,
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
