import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';
import { loseAnswer } from './interrupting.ts';
import {
  append,
  changesSince,
  folderId,
  listOf,
  messageOf,
  rowOf,
  subjectsIn,
  timesOf,
} from './mail-world.ts';

const MANY = 2000;
const AT_ONCE = 16;

/** Scrolls a list to its end in steps of a page; counts points of it that showed no row with a text. Runs in the page. */
const SCROLL_TO_END = `async (many) => {
  const grid = document.querySelector('[role=grid]');
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const lastIndex = () => Math.max(...[...document.querySelectorAll('[role=row]')].map((row) => Number(row.ariaRowIndex)));
  let blank = 0;
  for (let steps = 0; steps < 5000 && lastIndex() < many; steps++) {
    grid.scrollTop += grid.clientHeight;
    await frame();
    const { top, left, bottom } = grid.getBoundingClientRect();
    for (let y = top + 5; y < bottom - 5; y += 50)
      if (!document.elementFromPoint(left + 200, y)?.closest('[role=row]')?.textContent) blank++;
  }
  return { blank, last: lastIndex() };
}`;

/** The uppermost row that is seen, and where it is. */
const TOP_ROW = `(() => {
  const { top, left } = document.querySelector('[role=grid]').getBoundingClientRect();
  const row = document.elementFromPoint(left + 200, top + 30)?.closest('[role=row]');
  return row?.querySelector('input')?.ariaLabel + ' ' + row?.getBoundingClientRect().top;
})()`;

describe('mail in the console while things go wrong', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('a change whose answer is lost is done once', async () => {
    const id = await append(app, { subject: 'lost answer', query: 'flag=read' });
    const { page, context, problems } = await signedIn(browser, app);
    await listOf(page);
    const { cursor } = await changesSince(app);
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/messages/batch', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await loseAnswer(route);
    });
    await rowOf(page, 'lost answer').click();
    await page.keyboard.press('e');
    await rowOf(page, 'lost answer').waitFor({ state: 'detached' });
    await eventually(() => keys.length === 2, 'it is sent again');
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.equal(keys[0], keys[1]);
    assert.equal((await messageOf(app, id)).folder_id, await folderId(app, 'archive'));
    assert.equal(await timesOf(app, cursor, 'message.moved', id), 1);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('what is done without a connection is shown, kept, and done when it is back', async () => {
    const ids = [
      await append(app, { subject: 'offline one', query: 'flag=read' }),
      await append(app, { subject: 'offline two', query: 'flag=read' }),
    ];
    const { page, context, problems } = await signedIn(browser, app);
    await listOf(page);
    const { cursor } = await changesSince(app);
    await rowOf(page, 'offline two').click();
    await page.getByRole('heading', { level: 1, name: 'offline two' }).waitFor();
    await page.keyboard.press('Escape');
    await context.setOffline(true);
    await page.keyboard.press('s');
    await page.keyboard.press('e');
    await rowOf(page, 'offline two').waitFor({ state: 'detached' });
    await page.getByText('Offline: 2 changes not saved yet').waitFor();
    assert.equal((await messageOf(app, ids[1] ?? '')).folder_id, await folderId(app, 'inbox'));
    await context.setOffline(false);
    const archive = await folderId(app, 'archive');
    await eventually(async () => (await messageOf(app, ids[1] ?? '')).folder_id === archive, 'it is done');
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.equal(await timesOf(app, cursor, 'message.moved', ids[1] ?? ''), 1);
    assert.equal(await timesOf(app, cursor, 'message.changed', ids[1] ?? ''), 1);
    await rowOf(page, 'offline one').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('what the server refuses is shown as it is, and the person is told', async () => {
    await append(app, { subject: 'refused', query: 'flag=read' });
    const { page, context, problems } = await signedIn(browser, app);
    await listOf(page);
    await page.route('**/v1/messages/batch', (route) =>
      route.fulfill({
        status: 404,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { code: 'not_found', message: 'Because of a test.', details: {} },
          meta: { request_id: 'x' },
        }),
      }),
    );
    await rowOf(page, 'refused').click();
    await page.keyboard.press('e');
    await page.getByText('It is not there any more, or it is not shared with you.').first().waitFor();
    await rowOf(page, 'refused').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('two windows on one mailbox end the same', async () => {
    for (const name of ['both a', 'both b', 'both c', 'both d'])
      await append(app, { subject: name, query: 'flag=read' });
    const [one, two] = [await signedIn(browser, app), await signedIn(browser, app)];
    await Promise.all([listOf(one.page), listOf(two.page)]);
    const star = (page: Page, name: string) => rowOf(page, name).getByRole('button', { name: 'Star' });
    await rowOf(one.page, 'both a').hover();
    await rowOf(two.page, 'both b').hover();
    await Promise.all([star(one.page, 'both a').click(), star(two.page, 'both b').click()]);
    await rowOf(one.page, 'both c').click();
    await one.page.keyboard.press('e');
    await rowOf(two.page, 'both d').click();
    await two.page.keyboard.press('u');
    await append(app, { subject: 'both e' });
    const stateOf = (page: Page) =>
      page
        .getByRole('row')
        .evaluateAll((rows) =>
          rows.map((row) => [
            row.querySelector('input')?.ariaLabel,
            row.querySelector('button')?.ariaPressed,
            row.querySelector('[aria-label=Unread]') !== null,
          ]),
        );
    await eventually(async () => {
      const [first, second] = [await stateOf(one.page), await stateOf(two.page)];
      return (
        JSON.stringify(first) === JSON.stringify(second) &&
        !JSON.stringify(first).includes('both c') &&
        JSON.stringify(first.slice(0, 4)) ===
          JSON.stringify([
            ['Select both e', 'false', true],
            ['Select both d', 'false', true],
            ['Select both b', 'true', false],
            ['Select both a', 'true', false],
          ])
      );
    }, 'both show the same');
    assert.deepEqual([...one.problems, ...two.problems], []);
    await one.context.close();
    await two.context.close();
  });

  it(`a mailbox of ${MANY} scrolls to its end without a blank row, and new mail moves nothing`, async () => {
    const folder = (await app.post('/v1/folders', { name: 'Many' })).json.data.id;
    const dates = Array.from({ length: MANY }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * 60_000));
    const rest = dates.entries();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [i, date] of rest)
          await append(app, {
            folder,
            subject: `many ${i}`,
            headers: `Date: ${date.toUTCString()}\r\n`,
            query: 'flag=read',
          });
      }),
    );
    const { page, context, problems } = await signedIn(browser, app, { path: `/mail/${folder}` });
    await listOf(page);
    const found = await page.evaluate<{ blank: number; last: number }>(`(${SCROLL_TO_END})(${MANY})`);
    assert.deepEqual(found, { blank: 0, last: MANY });
    assert.equal((await subjectsIn(page)).at(-1), 'many 0');
    const drawn = await page.getByRole('row').count();
    assert.ok(drawn < 80, `${drawn} rows are drawn`);

    await page.getByRole('grid').evaluate((grid) => {
      grid.scrollTop = 40_000;
    });
    const topRow = () => page.evaluate<string>(TOP_ROW);
    await eventually(async () => (await topRow()).startsWith('Select many'), 'rows are drawn');
    const before = await topRow();
    await append(app, { folder, subject: 'come meanwhile' });
    await page.getByText(`1 unread · ${(MANY + 1).toLocaleString('en')} messages`).waitFor();
    await eventually(async () => {
      const total = await page.getByRole('row').first().getAttribute('aria-rowindex');
      return Number(total) > 480 && (await topRow()) === before;
    }, 'the rows stay where they are');
    await page.getByRole('grid').press('Home');
    await rowOf(page, 'come meanwhile').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });
});
