/** How PostgreSQL finds a page of objects that match: their answers are tested with both engines, here is what they cost. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { findPlaces } from '../../src/storage/full-text/postgres/places.ts';
import { Transaction } from '../../src/storage/transaction.ts';
import { startApp, type TestApp } from '../harness.ts';

const WORKSPACE = 'wsp_places';
const SCOPE = 'places';
const OBJECTS = 40_000;
/** None of the newest of them has the word that half of the others have. */
const NEWEST_WITHOUT = 300;
const LIMIT = 50;

describe('the places of objects that match, on PostgreSQL', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('postgres');
    await app.services.indexer.stop();
    // Makes the tables.
    await app.services.fullTextIndex.state();
    await app.services.database.write(async (tx) => {
      // A test says when it is analyzed.
      await tx.executeQuery(sql`alter table search_terms set (autovacuum_enabled = false)`.compile(tx));
      const terms = sql`array_remove(array[
        ${`${SCOPE}ball`},
        case when place % 2 = 0 and place <= ${OBJECTS - NEWEST_WITHOUT} then ${`${SCOPE}bhalf`} end,
        case when place % 4000 = 0 then ${`${SCOPE}bfew`} end], null)`;
      await tx.executeQuery(
        sql`insert into search_terms (workspace_id, scope, place, part, parts, terms)
          select ${WORKSPACE}, ${SCOPE}, place, 0, 1, array_to_tsvector(${terms})
          from generate_series(1, ${OBJECTS}) as place`.compile(tx),
      );
    });
  });
  after(() => app.stop());

  /** What is found, and how often all that match were gathered. */
  async function find(t: TestContext, word: string): Promise<{ places: number[]; gathered: number }> {
    const asked = t.mock.method(Transaction.prototype, 'executeQuery');
    const condition = { isNegated: false, alternatives: [[{ term: `b${word}`, isPrefix: false }]] };
    const range = { from: 0n, until: BigInt(OBJECTS + 1) };
    const places = await app.services.database.read((tx) =>
      findPlaces(tx, WORKSPACE, SCOPE, [[condition]], range, LIMIT),
    );
    const texts = asked.mock.calls.map(({ arguments: [query] }) => ('sql' in query ? query.sql : ''));
    return {
      places: places.map(Number),
      gathered: texts.filter((text) => text.startsWith('with found')).length,
    };
  }

  const newestHalf = Array.from({ length: LIMIT }, (_, i) => OBJECTS - NEWEST_WITHOUT - 2 * i);

  it('are gathered where PostgreSQL does not know how many there are', async (t) =>
    assert.deepEqual(await find(t, 'half'), { places: newestHalf, gathered: 1 }));

  it('are looked for among the newest where half match, though none of the very newest', async (t) => {
    await app.services.database.write((tx) => tx.executeQuery(sql`analyze search_terms`.compile(tx)));
    assert.deepEqual(await find(t, 'half'), { places: newestHalf, gathered: 0 });
  });

  it('are gathered where few match', async (t) => {
    const few = Array.from({ length: OBJECTS / 4000 }, (_, i) => OBJECTS - 4000 * i);
    assert.deepEqual(await find(t, 'few'), { places: few, gathered: 1 });
  });
});
