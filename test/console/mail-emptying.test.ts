/** A folder of the mail page is emptied, or stays as it is where the server refuses. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';

describe('emptying a folder', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('shows the messages again that the server has not removed', async () => {
    const folders = data(await app.get('/v1/folders'));
    const trash = folders.find(({ role }: { role: string }) => role === 'trash').id;
    const message = 'From: a@example.org\r\nSubject: Kept after all\r\n\r\nText\r\n';
    const headers = { 'content-type': 'message/rfc822' };
    const made = await app.post(`/v1/folders/${trash}/messages`, message, { headers });
    assert.equal(made.status, 201, made.text);
    const { page } = await signedIn(browser, app, { path: '/mail/trash' });
    await page.getByText('Kept after all').waitFor();
    await page.route('**/expunge', (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 'forbidden', message: 'Not now.', details: {} } },
      }),
    );
    await page.getByRole('button', { name: /Trash/ }).first().click();
    await page.getByRole('menuitem', { name: /Empty/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Empty|Delete/ })
      .last()
      .click();
    await page.getByText('Your role does not allow this here.').first().waitFor();
    await page.getByText('Kept after all').waitFor();
  });
});
