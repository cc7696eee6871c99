import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Etxt.exe';

describe('contacts', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let bookId: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    bookId = (await app.get('/v1/address-books')).json.data[0].id;
    window = await signedIn(browser, app, { path: '/contacts/' });
    page = window.page;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const list = async (query = '') =>
    (await app.get(`/v1/contacts?limit=200${query}`)).json.data as { id: string; name: string }[];
  const named = async (name: string, query = '') =>
    (await list(query)).filter((one) => one.name === name).length;

  it('makes and changes a contact by keys alone, once, with hostile text in every field', async () => {
    await page.getByText('No contacts here yet').waitFor();
    await assertAccessible(page);
    await page.keyboard.press('n');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.type(HOSTILE);
    for (const text of [`Given ${HOSTILE}`, `Family ${HOSTILE}`, `Org ${HOSTILE}`, `Title ${HOSTILE}`]) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('Address', { exact: true }).fill('ada@example.org');
    await page.getByLabel('Kind').fill(HOSTILE);
    await page.getByRole('button', { name: 'Add a phone number' }).click();
    await page.getByLabel('Number', { exact: true }).fill(HOSTILE);
    await page.getByLabel('Notes').fill(`${HOSTILE}\nsecond line`);
    await assertAccessible(page);
    await page.keyboard.press('Control+s');
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await assertAccessible(page);
    assert.equal(await named(HOSTILE), 1);
    await page.keyboard.press('e');
    await page.getByLabel('Family name').fill('Lovelace');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    const [{ id } = { id: '' }] = await list();
    const { json } = await app.get(`/v1/contacts/${id}`);
    assert.equal(json.data.family_name, 'Lovelace');
    assert.equal(json.data.notes, `${HOSTILE}\nsecond line`);
    await page.getByRole('link', { name: 'Write a mail to ada@example.org' }).click();
    await page.getByRole('group', { name: 'Recipients: To' }).getByText(HOSTILE).waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('offers the keys of a contact that is open and not in the list', async () => {
    const { json } = await app.post('/v1/contacts', { address_book_id: bookId, name: 'Beyond the list' });
    await page.goto(`${app.address}/contacts/contact/${json.data.id}?q=nobody-of-this-name`);
    await page.getByRole('heading', { name: 'Beyond the list' }).waitFor();
    await page.getByText('No contact has such a name or address').waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('Family name').waitFor();
    await page.keyboard.press('Escape');
    await app.delete(`/v1/contacts/${json.data.id}`);
  });

  it('follows what others write, and finds while one types', async () => {
    await page.goto(`${app.address}/contacts/`);
    await page.getByText(HOSTILE).first().waitFor();
    await app.post('/v1/contacts', { address_book_id: bookId, name: 'Grace Hopper' });
    await page.getByText('Grace Hopper').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('hopp');
    await eventually(async () => (await page.getByRole('row').count()) === 1, 'one is found');
    await page.getByText('Grace Hopper').waitFor();
  });

  it('moves to the trash, takes it back, and restores from the trash', async () => {
    await page.getByText('Grace Hopper').click();
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await page.keyboard.press('#');
    await page.getByText('1 contact is in the trash').waitFor();
    await eventually(async () => (await named('Grace Hopper')) === 0, 'it is in the trash');
    await page.keyboard.press('z');
    await eventually(async () => (await named('Grace Hopper')) === 1, 'it is back');
    await page.getByText('Grace Hopper').click();
    await page.getByRole('button', { name: 'Move to trash' }).click();
    await eventually(
      async () => (await named('Grace Hopper', '&trashed=true')) === 1,
      'it is in the trash again',
    );
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByText('Grace Hopper').click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await eventually(async () => (await named('Grace Hopper')) === 1, 'it is restored');
    assert.deepEqual(window.problems, []);
  });

  it('brings vCards in, tells what was skipped, and saves them as a file', async () => {
    await page.goto(`${app.address}/contacts/`);
    const cards = [
      'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Alan Turing\r\nEND:VCARD\r\n',
      'BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:group\r\nFN:Everybody\r\nEND:VCARD\r\n',
    ].join('');
    await page.getByRole('button', { name: 'Bring vCards in' }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.vcf', mimeType: 'text/vcard', buffer: Buffer.from(cards) });
    await page.getByText('1 contact made').waitFor();
    await page.getByText('1 card was skipped').waitFor();
    await page.getByText(/^Card 2: /).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    assert.equal(await named('Alan Turing'), 1);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as vCards' }).click();
    const saved = await readFile(await (await downloading).path(), 'utf8');
    assert.match(saved, /FN:Alan Turing/);
  });

  it('works at the width of a phone, in the dark', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${app.address}/contacts/`);
    await page.getByText('Alan Turing').click();
    await page.getByRole('heading', { name: 'Alan Turing' }).waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Grace Hopper').waitFor();
    await assertAccessible(page);
    assert.deepEqual(window.problems, []);
  });
});
