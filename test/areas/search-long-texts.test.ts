/** A search whose conditions are looked for in long texts ends its pages early. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { putFile, theOwner } from './files-world.ts';
import { indexed } from './search-world.ts';

forEachEngine((engine) => {
  describe('the search in long texts', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      const owner = await theOwner(app);
      // Long words: it is the length of a text that counts, and not how many words of it are kept.
      const bytes = Buffer.from(`elephant grey ${`${'grey'.repeat(15)} `.repeat(115_000)}`);
      for (let i = 0; i < 4; i++) await putFile(app, owner, { filename: `large ${i}.txt`, bytes });
      await indexed(app);
    });
    after(() => app.stop());

    it('ends a page that has read much early, and the next one goes on behind it (SEARCH-1, SEARCH-14)', async () => {
      const pages: string[][] = [];
      const q = encodeURIComponent('elephant -"elephant grey elephant"');
      for (let cursor = ''; ; ) {
        const answer = await app.get(`/v1/search?q=${q}${cursor}`);
        pages.push(data(answer).map(({ title }: { title: string }) => title));
        if (!answer.json.pagination.has_more) break;
        cursor = `&cursor=${answer.json.pagination.next_cursor}`;
      }
      assert.deepEqual(
        pages.flat(),
        [3, 2, 1, 0].map((i) => `large ${i}.txt`),
      );
      assert.equal(pages[0]?.length, 3);
    });
  });
});
