/** Writes that wait in the browser, when the person at it changes or leaves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';

describe('writes that wait in the browser', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const namesOf = async (key: string): Promise<string[]> => {
    const found = data(await app.get('/v1/file-folders', { key }));
    return found.map(({ name }: { name: string }) => name);
  };
  const makeFolder = async (page: Page, name: string) => {
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
  };
  const withoutServer = (page: Page) =>
    page.route('**/v1/file-folders', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: /Sign out/ }).click();
  };

  it('are asked about at signing out, and sent for nobody but who made them', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/files' });
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await withoutServer(page);
    await makeFolder(page, 'Of the owner');
    await page.getByRole('button', { name: /1 change/ }).waitFor();
    await signOut(page);
    const question = page.getByRole('dialog', { name: 'Sign out with changes that are not saved?' });
    await question.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Code or key').waitFor();
    await page.unroute('**/v1/file-folders');
    const other = await makeUser(app, { name: 'Grace', email: 'grace@example.org' });
    const { json } = await app.post('/v1/api-keys', {
      name: 'hers',
      user_id: other.id,
      permissions: data(await app.get('/v1/api-keys/me')).permissions,
    });
    await page.getByLabel('Code or key').fill(json.data.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account: Grace' }).waitFor();
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.equal((await namesOf(json.data.key)).includes('Of the owner'), false);
    await signOut(page);
    await page.getByLabel('Code or key').fill(OWNER_KEY);
    await page.keyboard.press('Enter');
    // It was sent in a session that has ended, without an answer: only the person can know whether it was done.
    await page.getByRole('button', { name: '1 change needs you' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => (await namesOf(OWNER_KEY)).includes('Of the owner'), 'the folder is there');
    assert.equal((await namesOf(OWNER_KEY)).filter((name) => name === 'Of the owner').length, 1);
    assert.deepEqual(problems, []);
  });

  it('are sent when the server is back, once, also when the tab was closed meanwhile', async () => {
    const { page, context, problems } = await signedIn(browser, app, { path: '/files' });
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await withoutServer(page);
    await makeFolder(page, 'While away');
    await page.getByRole('button', { name: /1 change/ }).waitFor();
    await page.close();
    const next = await context.newPage();
    await next.goto(`${app.address}/files`);
    await next.getByRole('button', { name: 'Everything is saved' }).waitFor();
    await eventually(async () => (await namesOf(OWNER_KEY)).includes('While away'), 'the folder is there');
    assert.equal((await namesOf(OWNER_KEY)).filter((name) => name === 'While away').length, 1);
    assert.deepEqual(problems, []);
  });
});
