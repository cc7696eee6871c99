import { type RawBuilder, sql } from 'kysely';
import { fragmentPattern, matches } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { ListedRow, Shelf } from './listing-store.ts';

/** Comes after the place that it is made of, and before every other. */
export function next(place: string): string {
  return place === '' ? '' : `${place}\u0001`;
}

interface Walk extends Shelf {
  grams: readonly string[];
  fragment: string;
  /** The first place that is looked at. */
  start: string;
  limit: number;
}

/** Steps of one statement, so that none takes long: a walk that finds nothing may need many. */
const STEPS = 5_000;

/**
 * Looks for the contacts that have all of the grams, and whose text contains the fragment, by leaps: from a place to the
 * first entry of the next gram at or after it, and so on in turn. When each gram has led to the same place, that is a
 * find. Answers where to go on; undefined at the end.
 */
export async function walkGrams(
  tx: ReadTransaction,
  { grams, fragment, ...walk }: Walk,
): Promise<{ found: ListedRow[]; next: string | undefined }> {
  const steps = await walkOn(tx, {
    ...walk,
    grams: JSON.stringify(grams),
    count: grams.length,
    pattern: fragmentPattern(fragment),
    steps: STEPS,
  });
  const found = steps.flatMap(({ hit, record }) =>
    hit !== null && record !== null ? [{ place: hit, record }] : [],
  );
  const last = steps.at(-1);
  const isCut = last !== undefined && (Number(last.step) === STEPS || Number(last.hits) === walk.limit);
  return { found, next: isCut ? last.place : undefined };
}

interface WalkValues extends Omit<Walk, 'grams' | 'fragment'> {
  /** A JSON array. */
  grams: string;
  count: number;
  pattern: string;
  steps: number;
}

/** One step: how many grams in turn have led to `place`; after a hit, `place` is what comes next. */
interface Step {
  step: number;
  turn: number;
  agreed: number;
  hits: number;
  place: string;
  hit: string | null;
}

const walkOn = statement((tx, p: WalkValues) =>
  tx
    .withRecursive('walk(step, turn, agreed, hits, place, hit)', () => stepsOf(tx, p))
    .selectFrom('walk as w')
    .leftJoin('contacts as c', (join) =>
      join
        .onRef('c.place', '=', 'w.hit')
        .on('c.workspace_id', '=', p.workspaceId)
        .on('c.address_book_id', '=', p.bookId)
        .on('c.trashed', '=', p.trashed)
        .on(matches('c.search_text', p.pattern)),
    )
    .select(['w.step', 'w.hits', 'w.place', 'w.hit', 'c.record'])
    .where(({ eb, or }) => or([eb('w.hit', 'is not', null), eb('w.step', '=', p.steps)]))
    .orderBy('w.step'),
);

/** The place is found twice, once as the least and once as a row: so that its subquery is not run for each of its uses. */
function stepsOf({ engine }: ReadTransaction, p: WalkValues): RawBuilder<Step> {
  const bigint = (value: number) => sql<number>`cast(${value} as bigint)`;
  const start = engine === 'sqlite' ? sql`${p.start}` : sql`cast(${p.start} as text) collate "C"`;
  const noHit = engine === 'sqlite' ? sql`null` : sql`cast(null as text) collate "C"`;
  const grams = engine === 'sqlite' ? sql`${p.grams}` : sql`cast(${p.grams} as json)`;
  const turn = engine === 'sqlite' ? sql`w.turn` : sql`cast(w.turn as integer)`;
  const shelf = (alias: string) =>
    sql`${sql.ref(`${alias}.workspace_id`)} = ${p.workspaceId} and ${sql.ref(`${alias}.address_book_id`)} = ${p.bookId}
      and ${sql.ref(`${alias}.trashed`)} = ${p.trashed} and ${sql.ref(`${alias}.gram`)} = ${grams} ->> ${turn}`;
  const agreed = sql`(case when g.place = w.place then w.agreed + 1 else 1 end)`;
  const isHit = sql`${agreed} = ${bigint(p.count)}`;
  return sql<Step>`(
    select ${bigint(0)}, ${bigint(0)}, ${bigint(0)}, ${bigint(0)}, ${start}, ${noHit}
    union all
    select w.step + 1, (w.turn + 1) % ${bigint(p.count)},
      case when ${isHit} then 0 else ${agreed} end,
      case when ${isHit} then w.hits + 1 else w.hits end,
      case when ${isHit} then g.place || cast(${'\u0001'} as text) else g.place end,
      case when ${isHit} then g.place end
    from walk as w inner join contact_grams as g on ${shelf('g')}
      and g.place = (select min(n.place) from contact_grams as n where ${shelf('n')} and n.place >= w.place)
    where w.hits < ${bigint(p.limit)} and w.step < ${bigint(p.steps)}
  )`;
}
