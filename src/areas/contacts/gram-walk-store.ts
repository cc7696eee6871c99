import { type RawBuilder, sql } from 'kysely';
import { holds } from '../../storage/contains.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import type { ListedRow, Shelf } from './listing-store.ts';

const AFTER = '\u0001';

/** Comes after the place that it is made of, and before every other. */
export function next(place: string): string {
  return place === '' ? '' : place + AFTER;
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
  { grams, ...walk }: Walk,
): Promise<{ found: ListedRow[]; next: string | undefined }> {
  const steps = await walkOn(tx, {
    ...walk,
    grams: JSON.stringify(grams),
    count: grams.length,
    steps: STEPS,
  });
  const found = steps.flatMap(({ hit, record }) =>
    hit !== null && record !== null ? [{ place: hit, record }] : [],
  );
  const last = steps.at(-1);
  const isCut = last !== undefined && (Number(last.step) === STEPS || Number(last.hits) === walk.limit);
  return { found, next: isCut ? last.place : undefined };
}

interface WalkValues extends Omit<Walk, 'grams'> {
  /** A JSON array. */
  grams: string;
  count: number;
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
    .withRecursive('walk(step, turn, agreed, hits, place, hit)', () =>
      tx.engine === 'postgres' ? stepsOfPostgres(p) : stepsOfSqlite(p),
    )
    .selectFrom('walk as w')
    .select(['w.step', 'w.hits', 'w.place', 'w.hit'])
    .select(({ selectFrom, ref }) =>
      selectFrom('contacts as c')
        .select('c.record')
        .where('c.workspace_id', '=', p.workspaceId)
        .where('c.address_book_id', '=', p.bookId)
        .where('c.trashed', '=', p.trashed)
        .where('c.place', '=', ref('w.hit'))
        .where(holds(tx, 'c.search_text', p.fragment))
        .as('record'),
    )
    .where(({ eb, or }) => or([eb('w.hit', 'is not', null), eb('w.step', '=', p.steps)]))
    .orderBy('w.step'),
);

/** The place is found twice, once as the least and once as a row: so that its subquery is not run for each of its uses. */
function stepsOfSqlite(p: WalkValues): RawBuilder<Step> {
  const ofTurn = (entry: string) => entriesOfTurn(p, entry, sql`${p.grams} ->> w.turn`);
  return steps(p, {
    start: sql`${p.start}`,
    noHit: sql`null`,
    found: sql`cross join contact_grams as g where ${ofTurn('g')}
      and g.place = (select min(n.place) from contact_grams as n where ${ofTurn('n')} and n.place >= w.place) and`,
  });
}

function stepsOfPostgres(p: WalkValues): RawBuilder<Step> {
  const gram = sql`cast(${p.grams} as json) ->> cast(w.turn as integer)`;
  return steps(p, {
    start: sql`cast(${p.start} as text) collate "C"`,
    noHit: sql`cast(null as text) collate "C"`,
    found: sql`cross join lateral (select n.place from contact_grams as n
      where ${entriesOfTurn(p, 'n', gram)} and n.place >= w.place order by n.place limit 1) as g where`,
  });
}

function entriesOfTurn({ workspaceId, bookId, trashed }: Shelf, entry: string, gram: RawBuilder<unknown>) {
  const column = (name: string) => sql.ref(`${entry}.${name}`);
  return sql`${column('workspace_id')} = ${workspaceId} and ${column('address_book_id')} = ${bookId}
    and ${column('trashed')} = ${trashed} and ${column('gram')} = ${gram}`;
}

/** `found`: what joins each step with the entry that its gram leads to, called g. */
function steps(
  { count, limit, steps: most }: WalkValues,
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
      case when ${isHit} then g.place end
    from walk as w ${found} w.hits < ${integer(limit)} and w.step < ${integer(most)}
  )`;
}

function integer(value: number): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`;
}
