/** Answers that come when the person is somewhere else. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser, type Window } from './browser.ts';
import { answered, held } from './interrupting.ts';

describe('late answers', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    window = await signedIn(browser, app, { path: '/contacts/' });
    page = window.page;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const goTo = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const isSaved = () => page.getByRole('button', { name: 'Everything is saved' }).waitFor();
  const startContact = async (name: string) => {
    await page.goto(`${app.address}/contacts/new`);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved yet', { exact: true }).waitFor();
  };
  const startFilter = async (name: string) => {
    await page.goto(`${app.address}/mail/filters/new`);
    await page.getByLabel('Value', { exact: true }).fill('ada@');
    await page.getByRole('combobox', { name: 'Folder' }).fill('Ada');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved yet', { exact: true }).waitFor();
  };
  const startDocument = async (name: string) => {
    await page.goto(`${app.address}/files`);
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('New document');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /1 change/ }).waitFor();
  };
  const cases = [
    { what: 'contact', url: '**/v1/contacts', start: startContact, list: '/v1/contacts', field: 'name' },
    {
      what: 'filter',
      url: '**/v1/mail/filters',
      start: startFilter,
      list: '/v1/mail/filters',
      field: 'name',
    },
    { what: 'document', url: '**/v1/documents', start: startDocument, list: '/v1/documents', field: 'title' },
  ];
  for (const { what, url, start, list, field } of cases) {
    it(`lead nobody to the ${what} that was made, who has gone elsewhere`, async () => {
      const name = `Late ${what}`;
      const release = await held(page, url, 'POST');
      await start(name);
      await goTo('Mail');
      await page.waitForURL(/\/mail\/inbox/);
      release();
      await isSaved();
      await eventually(async () => {
        const { json } = await app.get(list);
        return json.data.filter((one: Record<string, unknown>) => one[field] === name).length === 1;
      }, 'it is made once');
      await page.waitForTimeout(300);
      assert.match(page.url(), /\/mail\/inbox/);
      await page.unroute(url);
      assert.deepEqual(window.problems, []);
    });
  }

  it('keep what was refused, whose form is gone, to be read', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await answered(page, '**/v1/contacts', 'POST', 422, 'No such contacts.', released);
    await startContact('Refused late');
    await goTo('Mail');
    await page.waitForURL(/\/mail\/inbox/);
    release();
    await page.getByRole('button', { name: '1 change needs you' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No such contacts.').waitFor();
    await dialog.getByText('What it says').click();
    await dialog.getByText('name: Refused late').waitFor();
    await page.unroute('**/v1/contacts');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    assert.deepEqual(window.problems, []);
  });

  it('have nothing typed meanwhile that would be lost with them', async () => {
    const release = await held(page, '**/v1/contacts', 'POST');
    await startContact('Under way');
    assert.equal(await page.getByLabel('Name', { exact: true }).isDisabled(), true);
    release();
    await page.getByRole('heading', { name: 'Under way' }).waitFor();
    await page.unroute('**/v1/contacts');
    assert.deepEqual(window.problems, []);
  });
});
