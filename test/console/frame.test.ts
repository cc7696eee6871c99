/** What is around every page of the console: the palette, the keys, themes, languages, and what is told of a lost connection. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { assertAccessible, openWindow, signedIn, startBrowser } from './browser.ts';

describe('the frame of the console', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('the palette finds pages and objects, by keys alone', async () => {
    const [book] = (await app.get('/v1/address-books')).json.data;
    const contact = { address_book_id: book.id, name: 'Zaphod Beeblebrox' };
    assert.equal((await app.post('/v1/contacts', contact)).status, 201);
    const { page, problems } = await signedIn(browser, app);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or do anything' });
    await field.pressSequentially('files');
    await page.getByRole('option', { name: /^Files/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${app.address}/files**`);
    await page.keyboard.press('Control+k');
    await field.pressSequentially('beeblebrox');
    await page.getByRole('option', { name: /Zaphod/ }).waitFor();
    const [option = ''] = await page.getByRole('option', { name: /Zaphod/ }).allInnerTexts();
    assert.equal(option.split('Zaphod Beeblebrox').length, 2, 'the name stands there once');
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${app.address}/contacts/contact/**`);
    assert.deepEqual(problems, []);
  });

  it('a question mark lists the keys of the page, two keys after each other lead to a page', async () => {
    const { page } = await signedIn(browser, app);
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Show the keys').waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(`${app.address}/contacts**`);
  });

  it('theme and language are chosen in the menu of the account, and stay over a reload', async () => {
    const { page, problems } = await signedIn(browser, app);
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    const choose = async (menu: RegExp, item: string) => {
      await page.getByRole('button', { name: menu }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose(/^Account/, 'Dark');
    assert.notEqual(await ground(), light);
    await choose(/^Account/, 'Deutsch');
    await page.getByRole('link', { name: 'Dateien' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Dateien' }).waitFor();
    assert.notEqual(await ground(), light);
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  it('a browser that names its language by no tag has the pages all the same', async () => {
    const { page, context, problems } = await openWindow(browser);
    await context.addInitScript(`for (const [name, value] of [['language', 'en-US@posix'], ['languages', ['en-US@posix']]])
      Object.defineProperty(navigator, name, { get: () => value })`);
    await page.goto(app.address);
    await page.getByLabel('Code or key').fill(OWNER_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('a lost connection is told, and that everything is saved again', async () => {
    const { page, context } = await signedIn(browser, app);
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Offline' }).waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
  });

  it('an address that names nothing says so', async () => {
    const { page } = await signedIn(browser, app, { path: '/contacts' });
    await page.evaluate(
      "history.pushState(null, '', '/nowhere'); dispatchEvent(new PopStateEvent('popstate'))",
    );
    await page.getByText('There is nothing at this address').waitFor();
  });

  it('a page whose script is gone, as after an upgrade, says so and offers to load it again', async () => {
    const { page, context } = await signedIn(browser, app);
    const loaded = await page.evaluate<string[]>(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    );
    const isGone = ({ href }: URL) => href.includes('/console/assets/') && !loaded.includes(href);
    await context.route(isGone, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Contacts' }).click();
    await page.getByText('This page cannot be shown').waitFor();
    await assertAccessible(page);
    await context.unroute(isGone);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByLabel('Search contacts').first().waitFor();
  });

  it('fits a telephone: the pages are at the lower end, and nothing is wider than the screen', async () => {
    const { page, problems } = await signedIn(browser, app, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    const pages = await page.getByRole('navigation', { name: 'Pages' }).boundingBox();
    assert.ok((pages?.y ?? 0) > 700);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await page.getByRole('link', { name: 'Files' }).tap();
    await page.waitForURL(`${app.address}/files**`);
    assert.deepEqual(problems, []);
  });

  it('single keys can be turned off, for one user of the browser; other keys stay', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/files' });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('?');
    const toggle = page.getByRole('switch', { name: 'Keys that are a single sign' });
    await page.getByRole('dialog').getByText('Mail', { exact: true }).waitFor();
    await toggle.press('Space');
    await page.getByRole('dialog').getByText('Mail', { exact: true }).waitFor({ state: 'detached' });
    await assertAccessible(page);
    await press('Escape');
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await press('g', 'm', '?', 'n');
    await page.waitForTimeout(300);
    assert.equal(new URL(page.url()).pathname, '/files');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await press('Control+k');
    await page.getByRole('option', { name: /^Mail/ }).waitFor();
    assert.equal(await page.getByRole('option', { name: /^Mail g m/ }).count(), 0);
    await press('Escape');
    const other = await makeUser(app, { name: 'Berta', email: 'berta@example.org' });
    const { json } = await app.post(`/v1/users/${other.id}/sign-in-codes`);
    await page.goto('about:blank');
    await page.goto(`${app.address}/files#sign-in=${json.data.code}`);
    await page.getByRole('button', { name: 'Sign in with the link' }).click();
    await page.getByRole('button', { name: 'Account: Berta' }).waitFor();
    await press('g', 'm');
    await page.waitForURL(`${app.address}/mail/inbox`);
    assert.deepEqual(problems, []);
  });

  it('a notice stays while the pointer or the focus is on it, and gives the focus back', async () => {
    const [hovered, focused] = [await signedIn(browser, app), await signedIn(browser, app)];
    const notify = async (page: Page) => {
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: 'Copy the last change as curl' }).click();
      await page.getByText('No change has been made in this tab').waitFor();
    };
    for (const { page } of [hovered, focused]) await notify(page);
    const text = 'No change has been made in this tab';
    await hovered.page.waitForTimeout(8000);
    await hovered.page.getByText(text).hover();
    const before = focused.page.getByRole('button', { name: /^Account/ });
    await before.focus();
    await focused.page.keyboard.press('F6');
    await hovered.page.waitForTimeout(4000);
    assert.equal(await hovered.page.getByText(text).count(), 1, 'under the pointer');
    assert.equal(await focused.page.getByText(text).count(), 1, 'with the focus');
    await focused.page.keyboard.press('Enter');
    await focused.page.getByText(text).waitFor({ state: 'detached' });
    assert.match(String(await focused.page.evaluate('document.activeElement.ariaLabel')), /^Account/);
    await hovered.page.mouse.move(5, 5);
    await hovered.page.getByText(text).waitFor({ state: 'detached', timeout: 6000 });
    assert.deepEqual([...hovered.problems, ...focused.problems], []);
  });
});
