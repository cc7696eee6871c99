import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction } from '../../database.ts';
import type { IndexQuery, TermCondition } from '../full-text-index.ts';
import { firstPlaceOf } from '../terms.ts';
import { rowsOf } from './rows.ts';
import { everyObject, matchedBy, queryOf, type TsQuery } from './tsquery.ts';

/** Places from `from` on and before `until`. */
export interface Range {
  readonly from: bigint;
  readonly until: bigint;
}

/** The places that a query asks for. */
export function rangeOf({ from, until, behind }: IndexQuery): Range {
  return { from: firstPlaceOf(from), until: behind === undefined ? firstPlaceOf(until) : BigInt(behind) };
}

type Clauses = readonly (readonly TermCondition[])[];

/**
 * How many of the newest objects are looked at one by one first. A GIN index knows no order: of a word that half of a
 * mailbox has, it would gather half of the mailbox for one page.
 */
const LEAST_LOOKED_AT = 128;
const MOST_LOOKED_AT = 4_096;
/** A word that half have fills a page at the first look. */
const LOOKED_AT_FOR_ONE = 2.5;
/** To look at one object costs as much as to gather so many. */
const GATHERED_FOR_A_LOOK = 30;
/** How many more are looked at in the next look where few of the last one matched. */
const GROWTH = 4;

/**
 * The newest places of a scope whose objects match. The newest objects are looked at in order, for as long as that costs
 * less than gathering all that match by the GIN index.
 */
export async function findPlaces(
  tx: ReadTransaction,
  workspaceId: string,
  scope: string,
  clauses: Clauses,
  range: Range,
  limit: number,
): Promise<bigint[]> {
  const query = scopedQuery(clauses, scope);
  const found: bigint[] = [];
  let { until } = range;
  let looked = 0;
  let expected: number | undefined;
  for (let count = looksFor(limit, 1 / LOOKED_AT_FOR_ONE); found.length < limit; ) {
    const look = await lookAt(tx, { workspaceId, scope, query, from: range.from, until, count });
    found.push(...look.places);
    if (look.count < count || look.last === undefined) break;
    until = look.last;
    looked += look.count;
    const share = look.places.length / look.count;
    if (share * GATHERED_FOR_A_LOOK >= 1) {
      count = looksFor(limit - found.length, share);
      continue;
    }
    count = Math.min(count * GROWTH, MOST_LOOKED_AT);
    expected ??= await expectedOf(tx, query);
    if ((looked + count) * GATHERED_FOR_A_LOOK <= expected) continue;
    found.push(...(await findByTerms(tx, query, { from: range.from, until }, limit)));
    break;
  }
  const ofMany = await findOfMany(tx, workspaceId, scope, clauses, range, limit);
  return [...found, ...ofMany].sort((a, b) => (a > b ? -1 : 1)).slice(0, limit);
}

/** How many objects are looked at to find so many more, where this share of them matches. */
function looksFor(more: number, share: number): number {
  return Math.min(Math.max(LEAST_LOOKED_AT, Math.ceil(more / share)), MOST_LOOKED_AT);
}

/** Of a term that ANALYZE has not kept, PostgreSQL expects at most half a percent, however rare it is. */
const LEAST_KNOWN_SHARE = 0.01;

/** How many objects PostgreSQL expects to match by what ANALYZE has kept; 0 where that says nothing about the terms. */
async function expectedOf(tx: ReadTransaction, query: TsQuery): Promise<number> {
  const [[plan], [table]] = await Promise.all([
    rowsOf<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      tx,
      sql`explain (format json) ${matchingTerms(query)}`,
    ),
    rowsOf<{ rows: number }>(
      tx,
      sql`select reltuples as rows from pg_class where oid = 'search_terms'::regclass`,
    ),
  ]);
  const expected = plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  return expected >= LEAST_KNOWN_SHARE * (table?.rows ?? 0) ? expected : 0;
}

/** Of "a or not b" the index would read what others have, unless the query names the objects of the scope. */
function scopedQuery(clauses: Clauses, scope: string): TsQuery {
  const isScoped = clauses.some((clause) => clause.every(({ isNegated }) => !isNegated));
  if (isScoped) return queryOf(clauses, [scope]);
  const every = everyObject([scope]);
  return clauses.length === 0 ? every : `${every}&${queryOf(clauses, [scope])}`;
}

interface Look extends Range {
  workspaceId: string;
  scope: string;
  query: TsQuery;
  count: number;
}

/** Looks at the newest rows of a range: how many there were, the last of them, and the places of those that match. */
async function lookAt(
  tx: ReadTransaction,
  { workspaceId, scope, query, from, until, count }: Look,
): Promise<{ count: number; last: bigint | undefined; places: bigint[] }> {
  const [row] = await rowsOf<{ count: number; last: string | null; places: string[] | null }>(
    tx,
    sql`select count(*)::integer as count, min(place)::text as last,
        array_agg(place::text order by place desc) filter (where parts = 1 and terms @@ ${query}::tsquery) as places
      from (
        select place, parts, terms from search_terms
        where workspace_id = ${workspaceId} and scope = ${scope}
          and place < ${until.toString()}::bigint and place >= ${from.toString()}::bigint
        order by place desc limit ${count}) as newest`,
  );
  return {
    count: row?.count ?? 0,
    last: row?.last == null ? undefined : BigInt(row.last),
    places: (row?.places ?? []).map(BigInt),
  };
}

/** Terms name their scope, so the index reads nothing of others. */
async function findByTerms(
  tx: ReadTransaction,
  query: TsQuery,
  { from, until }: Range,
  limit: number,
): Promise<bigint[]> {
  const rows = await rowsOf<{ place: string }>(
    tx,
    sql`with found as materialized (${matchingTerms(query)})
      select place::text as place from found
      where found.place < ${until.toString()}::bigint and found.place >= ${from.toString()}::bigint
      order by found.place desc limit ${limit}`,
  );
  return rows.map(({ place }) => BigInt(place));
}

/** The places of all objects that match, whose terms stand in one row. */
function matchingTerms(query: TsQuery): RawBuilder<unknown> {
  return sql`select place from search_terms where terms @@ ${query}::tsquery and parts = 1`;
}

/** The places of objects whose terms stand in several rows: each clause may hold in another one. */
async function findOfMany(
  tx: ReadTransaction,
  workspaceId: string,
  scope: string,
  clauses: Clauses,
  { from, until }: Range,
  limit: number,
): Promise<bigint[]> {
  const holds = clauses.map(
    (clause) =>
      sql`(${sql.join(
        clause.map((one) => holdsOf(one, scope)),
        sql` or `,
      )})`,
  );
  const rows = await rowsOf<{ place: string }>(
    tx,
    sql`select place::text as place from search_terms
      where workspace_id = ${workspaceId} and scope = ${scope} and parts > 1
        and place < ${until.toString()}::bigint and place >= ${from.toString()}::bigint
      group by search_terms.place having ${holds.length > 0 ? sql.join(holds, sql` and `) : sql`true`}
      order by search_terms.place desc limit ${limit}`,
  );
  return rows.map(({ place }) => BigInt(place));
}

/** Of alternatives of several patterns, each pattern may hold in another row. */
function holdsOf(condition: TermCondition, scope: string): RawBuilder<unknown> {
  const alternatives = condition.alternatives.map((patterns) => {
    const each = patterns.map((pattern) => {
      const query = matchedBy({ isNegated: false, alternatives: [[pattern]] }, [scope]);
      return sql`bool_or(terms @@ ${query}::tsquery)`;
    });
    return sql`(${sql.join(each, sql` and `)})`;
  });
  const any = sql`(${sql.join(alternatives, sql` or `)})`;
  return condition.isNegated ? sql`not ${any}` : any;
}
