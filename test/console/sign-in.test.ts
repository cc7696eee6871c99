import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { assertAccessible, openWindow, signedIn, startBrowser } from './browser.ts';

describe('signing in to the console', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('a link opens the page signed in, and leaves no code in the address (SIGN-16)', async () => {
    const { page, problems } = await signedIn(browser, app);
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(new URL(page.url()).pathname, '/mail/inbox');
    assert.deepEqual(problems, []);
  });

  it('a pasted key opens a session; a wrong one is told so (SIGN-1)', async () => {
    const { page, problems } = await openWindow(browser);
    await page.goto(app.address);
    await page.getByLabel('Code or key').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Code or key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The code is unknown').waitFor();
    await page.getByLabel('Code or key').fill(OWNER_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  it('a link asks before it replaces the session of somebody else', async () => {
    const { page, problems } = await signedIn(browser, app);
    const other = await makeUser(app, { name: 'Mallory', email: 'mallory@example.org' });
    const open = async () => {
      const { json } = await app.post(`/v1/users/${other.id}/sign-in-codes`);
      await page.goto('about:blank');
      await page.goto(`${app.address}/#sign-in=${json.data.code}`);
      await page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor();
    };
    await open();
    await assertAccessible(page);
    await page.getByRole('button', { name: /^Stay/ }).click();
    await page.getByRole('button', { name: /^Account: owner/i }).waitFor();
    await open();
    await page.getByRole('button', { name: 'Sign in with the link' }).click();
    await page.getByRole('button', { name: 'Account: Mallory' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('a session lasts over a reload and ends in each tab with signing out', async () => {
    const { page, context, problems } = await signedIn(browser, app);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${app.address}/files`);
    await other.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: /Sign out/ }).click();
    await page.getByLabel('Code or key').waitFor();
    await other.reload();
    await other.getByLabel('Code or key').waitFor();
    assert.deepEqual(problems, []);
  });

  it('a link signs in where it is opened in a tab that is there already', async () => {
    const { page, problems } = await openWindow(browser);
    await page.goto(app.address);
    await page.getByLabel('Code or key').waitFor();
    const other = await makeUser(app, { name: 'Trudy', email: 'trudy@example.org' });
    const follow = async () => {
      const { json } = await app.post(`/v1/users/${other.id}/sign-in-codes`);
      // As an address that is typed or pasted: the page stays, its fragment changes.
      await page.evaluate((code) => {
        (globalThis as unknown as { location: { hash: string } }).location.hash = `sign-in=${code}`;
      }, json.data.code);
    };
    await follow();
    await page.getByRole('button', { name: 'Account: Trudy' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.deepEqual(problems, []);
  });

  it('such a link asks first where somebody is signed in, and leaves what is typed', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/contacts/new' });
    const other = await makeUser(app, { name: 'Peggy', email: 'peggy@example.org' });
    const follow = async () => {
      const { json } = await app.post(`/v1/users/${other.id}/sign-in-codes`);
      await page.evaluate((code) => {
        (globalThis as unknown as { location: { hash: string } }).location.hash = `sign-in=${code}`;
      }, json.data.code);
      await page.getByRole('heading', { name: 'Sign in with this link?' }).waitFor();
      assert.equal(new URL(page.url()).hash, '');
    };
    await page.getByLabel('Name', { exact: true }).fill('Half a name');
    await follow();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half a name');
    await follow();
    await page.getByRole('button', { name: /^Stay owner/i }).press('Enter');
    await page.getByRole('button', { name: /^Account: owner/i }).waitFor();
    await follow();
    await page.getByRole('button', { name: 'Sign in with the link' }).click();
    await page.getByRole('button', { name: 'Account: Peggy' }).waitFor();
    assert.deepEqual(problems, []);
  });
});
