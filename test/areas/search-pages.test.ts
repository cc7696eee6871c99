/** Pages of the index among many objects: whatever share of them has a word, in both engines. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { IndexedObject, IndexQuery } from '../../src/storage/full-text/full-text-index.ts';
import { wordsCondition } from '../../src/storage/full-text/terms.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

const OBJECTS = 3_000;
const FIRST = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
/** Of so many objects in a row one has the word; the page of PostgreSQL is found in another way for each. */
const SHARES = [2, 5, 20, 40, 100, 700, 2_999];
const WORKSPACE = 'wsp_pages';
const USER = 'usr_pages';

/** Every seventh object is a stranger's: it has each word. */
const isOfStranger = (number: number) => number % 7 === 3;
const has = (number: number, share: number) => isOfStranger(number) || number % share === share - 1;

function objectOf(number: number): IndexedObject {
  const words = SHARES.filter((share) => has(number, share)).map((share) => `one${share}`);
  return {
    workspaceId: WORKSPACE,
    kind: 'message',
    id: `msg_${String(number).padStart(26, '0')}`,
    at: FIRST + number * MINUTE,
    principals: [isOfStranger(number) ? 'usr_stranger' : USER],
    texts: [{ field: 'body', text: ['all', ...words].join(' ') }],
    hasAttachment: false,
  };
}

forEachEngine((engine) => {
  describe('pages of the index', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      const { fullTextIndex, indexer } = app.services;
      await indexer.catchUp();
      await indexer.stop();
      const to = await fullTextIndex.state();
      assert.ok(to);
      for (let first = 0; first < OBJECTS; first += 500) {
        const objects = Array.from({ length: 500 }, (_, i) => objectOf(first + i));
        await fullTextIndex.write({ from: undefined, to, objects, removed: [] });
      }
    });
    after(() => app.stop());

    const condition = (word: string, isNegated = false) => [
      wordsCondition({ field: undefined, words: [word], isPrefix: false }, isNegated, true),
    ];
    const everything: IndexQuery = {
      workspaceId: WORKSPACE,
      principals: [USER],
      trees: [],
      kinds: ['message'],
      clauses: [condition('all')],
      from: 0,
      until: Number.MAX_SAFE_INTEGER,
      behind: undefined,
      limit: 50,
    };
    /** The numbers of all objects that are found, page by page. */
    const pagesOf = async (query: Partial<IndexQuery>): Promise<number[]> => {
      const asked = { ...everything, ...query };
      const found: number[] = [];
      for (let behind: string | undefined; ; ) {
        const hits = await app.services.fullTextIndex.search({ ...asked, behind });
        found.push(...hits.map(({ id }) => Number(id.slice(4))));
        if (hits.length < asked.limit) return found;
        behind = hits.at(-1)?.place;
      }
    };
    const expected = (holds: (number: number) => boolean): number[] =>
      Array.from({ length: OBJECTS }, (_, i) => OBJECTS - 1 - i).filter(
        (number) => !isOfStranger(number) && holds(number),
      );

    for (const share of SHARES)
      for (const limit of [1, 50, 1_000])
        it(`of ${limit} have the newest with a word that one of ${share} has (SEARCH-5, SEARCH-9)`, async () => {
          const wanted = expected((number) => has(number, share));
          if (limit > 1)
            assert.deepEqual(await pagesOf({ clauses: [condition(`one${share}`)], limit }), wanted);
          const [first] = await app.services.fullTextIndex.search({
            ...everything,
            clauses: [condition(`one${share}`)],
            limit,
          });
          assert.equal(Number(first?.id.slice(4)), wanted[0]);
        });

    it('have what two words, and one without another, leave (SEARCH-9, SEARCH-14)', async () => {
      assert.deepEqual(
        await pagesOf({ clauses: [condition('one2'), condition('one5')] }),
        expected((number) => has(number, 2) && has(number, 5)),
      );
      assert.deepEqual(
        await pagesOf({ clauses: [condition('one20'), condition('one40', true)] }),
        expected((number) => has(number, 20) && !has(number, 40)),
      );
    });

    it('lie within a range of times (SEARCH-9, SEARCH-20)', async () => {
      const [from, until] = [FIRST + 300 * MINUTE, FIRST + 2_100 * MINUTE];
      for (const share of SHARES)
        assert.deepEqual(
          await pagesOf({ clauses: [condition(`one${share}`)], from, until }),
          expected((number) => number >= 300 && number < 2_100 && has(number, share)),
        );
    });
  });
});
