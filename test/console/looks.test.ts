/** What the eye needs: room around texts, one place that is marked as here, what is missing told, dates as one writes them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { makeFile, makeFolder, rowOf } from './files-world.ts';
import { answered } from './interrupting.ts';
import { append } from './mail-world.ts';

const NARROW = { viewport: { width: 390, height: 844 } };

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  assert.ok(box, `${locator} is not shown`);
  return box;
}

describe('the looks of the console', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('a contact has room around it, and one place of the contacts is marked as here', async () => {
    const [book] = data(await app.get('/v1/address-books'));
    const contact = { address_book_id: book.id, name: 'Ada', emails: [{ address: 'ada@example.org' }] };
    const { id } = data(await app.post('/v1/contacts', contact), 201);
    for (const [options, room] of [
      [{}, 24],
      [NARROW, 12],
    ] as const) {
      const { page, context } = await signedIn(browser, app, { path: `/contacts/contact/${id}`, ...options });
      const card = await boxOf(page.getByRole('article', { name: 'Ada' }));
      const fact = await boxOf(page.getByRole('term').first());
      assert.equal(fact.x - card.x, room);
      await context.close();
    }
    const { page, problems, context } = await signedIn(browser, app, { path: '/contacts/?trash=true' });
    const here = page.getByRole('navigation', { name: 'Address books' }).locator('[aria-current=page]');
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    assert.deepEqual(await here.allInnerTexts(), ['Trash']);
    await page.getByRole('link', { name: 'All contacts' }).click();
    await page.getByText('Choose one, or press n').waitFor();
    assert.deepEqual(await here.allInnerTexts(), ['All contacts']);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('a folder whose files cannot be read does not look as if it had none', async () => {
    const folder = await makeFolder(app, 'Half');
    await makeFolder(app, 'Inner', folder.id);
    await makeFile(app, 'there.txt', 'x', folder.id);
    const { page, context } = await signedIn(browser, app, { path: '/contacts/' });
    await answered(page, /\/v1\/files\?/, 'GET', 500);
    await page.goto(`${app.address}/files/folder/${folder.id}`);
    await rowOf(page, 'Inner').waitFor();
    await page.getByRole('alert').filter({ hasText: 'Not everything that is here' }).waitFor();
    await assertAccessible(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowOf(page, 'there.txt').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await context.close();
  });

  it('a file fills a telephone', async () => {
    const file = await makeFile(app, 'long.txt', 'line\n'.repeat(200));
    const { page, context } = await signedIn(browser, app, { path: `/files/file/${file.id}`, ...NARROW });
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    const [details, pages] = [
      await boxOf(page.getByRole('main').getByRole('complementary')),
      await boxOf(page.getByRole('navigation', { name: 'Pages' })),
    ];
    assert.ok(Math.abs(details.y + details.height - pages.y) < 2, 'the details end where the pages begin');
    await context.close();
  });

  it('times are written as the language of the browser has them, in the language of the page', async () => {
    const at = new Date();
    at.setHours(15, 7, 0);
    const id = await append(app, { subject: 'At tea', headers: `Date: ${at.toUTCString()}\r\n` });
    for (const [locale, expected] of [
      ['en-GB', '15:07'],
      ['en-US', '3:07 PM'],
    ] as const) {
      const { page, context } = await signedIn(browser, app, { path: '/mail/inbox', locale });
      const time = page.getByRole('row').filter({ hasText: 'At tea' }).locator('time');
      assert.equal((await time.innerText()).replace(/\s/g, ' '), expected);
      await context.close();
    }
    await app.delete(`/v1/messages/${id}`);
  });
});
