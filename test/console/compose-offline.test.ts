/** Messages that are written and sent without a connection, and texts that a window has left. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';
import { answered, cutOff, lost } from './interrupting.ts';

const DRAFTS = /\/v1\/drafts/;

describe('sending without a connection', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    await app.post('/v1/users', { name: 'Grace', email: 'grace@localhost' });
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const count = async (role: string, subject: string) => {
    const { json } = await app.get(`/v1/messages?folder_id=${role}&limit=200`);
    return json.data.filter((message: { subject: string }) => message.subject === subject).length;
  };
  const counts = async (subject: string) => [await count('sent', subject), await count('drafts', subject)];
  const text = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  /** The page goes to the one before by itself: an address that is opened meanwhile is not reached. */
  const hasLeft = (page: Page) => page.waitForURL(({ pathname }) => !pathname.includes('/compose/'));
  const isSaved = (page: Page) => page.getByRole('button', { name: 'Everything is saved' }).waitFor();
  const begun = async (subject: string): Promise<Window> => {
    const query = `to=grace@localhost&subject=${encodeURIComponent(subject)}`;
    const window = await signedIn(browser, app, { path: `/mail/compose/new?${query}` });
    await text(window.page).waitFor();
    return window;
  };
  /** Without a connection for what is saved and sent; the page itself can be loaded. */
  const withoutDrafts = async ({ context }: Window) => {
    await cutOff(context, DRAFTS, 'POST');
    await cutOff(context, DRAFTS, 'PUT');
  };
  const online = ({ context }: Window) => context.unroute(DRAFTS);

  it('waits in the outbox over the end of the composer and a reload, and is sent once', async () => {
    const window = await begun('Later');
    const { page, problems } = window;
    await withoutDrafts(window);
    await text(page).fill('When it can be.');
    await page.keyboard.press('Control+Enter');
    await hasLeft(page);
    await page.goto(`${app.address}/contacts/`);
    await page.getByRole('button', { name: 'Offline: 1 change not saved yet' }).click();
    await page.getByRole('dialog').getByText('Send a message: Later').waitFor();
    await assertAccessible(page);
    assert.deepEqual(await counts('Later'), [0, 0]);
    await page.keyboard.press('Escape');
    await online(window);
    await isSaved(page);
    await eventually(async () => (await counts('Later')).join() === '1,0', 'it is sent');
    assert.deepEqual(problems, []);
    await window.context.close();
  });

  it('sends what was written last where an earlier text is being saved, and the answers are lost', async () => {
    const window = await begun('Last words');
    const { page } = window;
    await lost(window.context, DRAFTS, 'POST');
    await text(page).fill('First words.');
    await eventually(async () => (await count('drafts', 'Last words')) === 1, 'the first words are saved');
    await text(page).fill('Last words of all.');
    await page.keyboard.press('Control+Enter');
    await text(page).waitFor({ state: 'detached' });
    await online(window);
    await isSaved(page);
    await eventually(async () => (await counts('Last words')).join() === '1,0', 'it is sent once');
    const { json } = await app.get('/v1/messages?folder_id=sent&limit=200');
    const sent = json.data.find(({ subject }: { subject: string }) => subject === 'Last words');
    assert.match((await app.get(`/v1/messages/${sent.id}`)).json.data.text, /Last words of all\./);
    await window.context.close();
  });

  it('is taken back with its text: at once, and after a reload', async () => {
    const window = await begun('Taken back');
    const { page, problems } = window;
    await withoutDrafts(window);
    await text(page).fill('Not this.');
    await page.keyboard.press('Control+Enter');
    await text(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await text(page).waitFor();
    assert.equal(await text(page).inputValue(), 'Not this.');
    await text(page).fill('Nor this.');
    const address = page.url();
    await page.keyboard.press('Control+Enter');
    await hasLeft(page);
    await page.goto(address);
    await page.getByRole('heading', { name: /waits to be sent|about to be sent/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await text(page).waitFor();
    assert.equal(await text(page).inputValue(), 'Nor this.');
    await online(window);
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    await isSaved(page);
    assert.deepEqual(await counts('Taken back'), [0, 1]);
    assert.deepEqual(problems, []);
    await window.context.close();
  });

  it('is taken back where the draft is saved already and its last words are not', async () => {
    const window = await begun('Half saved');
    const { page, problems } = window;
    await text(page).fill('Saved words.');
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    await page.waitForURL(/compose\/drf_/);
    await withoutDrafts(window);
    await text(page).fill('Saved words. And later ones.');
    await page.keyboard.press('Control+Enter');
    await text(page).waitFor({ state: 'detached' });
    await online(window);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');
    await text(page).waitFor();
    assert.equal(await text(page).inputValue(), 'Saved words. And later ones.');
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    await isSaved(page);
    assert.deepEqual(await counts('Half saved'), [0, 1]);
    assert.equal(await page.getByText('Another window has changed').count(), 0);
    assert.deepEqual(problems, []);
    await window.context.close();
  });

  it('keeps the text of what cannot be saved, and shows it with the reason', async () => {
    const window = await begun('Refused later');
    const { page } = window;
    await withoutDrafts(window);
    await text(page).fill('Who reads this?');
    await page.keyboard.press('Control+Enter');
    await hasLeft(page);
    await answered(window.context, DRAFTS, 'POST', 422, 'Such drafts are not taken.');
    await page.goto(`${app.address}/contacts/`);
    await page.getByRole('button', { name: '1 change needs you' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Such drafts are not taken.').waitFor();
    await online(window);
    await dialog.getByRole('button', { name: 'Open' }).first().click();
    await page.getByRole('alert').filter({ hasText: 'Such drafts are not taken.' }).waitFor();
    assert.equal(await text(page).inputValue(), 'Who reads this?');
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    assert.deepEqual(await counts('Refused later'), [0, 1]);
    await window.context.close();
  });

  it('offers a text that a window has left which is gone, and makes one draft of it', async () => {
    const window = await begun('Left behind');
    const { page, context, problems } = window;
    await lost(context, DRAFTS, 'POST');
    await text(page).fill('Saved, perhaps.');
    await eventually(async () => (await count('drafts', 'Left behind')) === 1, 'the server has the draft');
    await text(page).fill('Saved, perhaps. And this was not.');
    await page.waitForTimeout(400);
    await page.close();
    await online(window);
    const next = await context.newPage();
    await next.goto(`${app.address}/mail/drafts`);
    const notice = next.getByRole('region', { name: 'Kept in this browser alone, and not saved' });
    await notice.getByText('Draft: Left behind').waitFor();
    await next.getByRole('button', { name: '1 change not saved yet' }).waitFor();
    await assertAccessible(next);
    await notice.getByRole('button', { name: 'Open' }).click();
    await text(next).waitFor();
    assert.equal(await text(next).inputValue(), 'Saved, perhaps. And this was not.');
    await next
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    await isSaved(next);
    assert.deepEqual(await counts('Left behind'), [0, 1]);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('makes no second draft of a text whose first save was asked for by a session that has ended', async () => {
    const window = await begun('Two sessions');
    const { page, context } = window;
    await lost(context, DRAFTS, 'POST');
    await text(page).fill('One draft.');
    await eventually(async () => (await count('drafts', 'Two sessions')) === 1, 'the server has the draft');
    await page.waitForTimeout(400);
    const own = (await app.get('/v1/api-keys?limit=100')).json.data.filter(
      ({ kind }: { kind?: string }) => kind === 'session',
    );
    for (const { id } of own) await app.delete(`/v1/api-keys/${id}`);
    await page.close();
    await online(window);
    const next = await context.newPage();
    const owner = (await app.get('/v1/users')).json.data.find(
      ({ email }: { email: string }) => email === 'owner@localhost',
    );
    const { json } = await app.post(`/v1/users/${owner.id}/sign-in-codes`);
    await next.goto(`${app.address}/mail/drafts#sign-in=${json.data.code}`);
    const notice = next.getByRole('region', { name: 'Kept in this browser alone, and not saved' });
    await notice.getByRole('button', { name: 'Open' }).click();
    await next
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    await isSaved(next);
    assert.deepEqual(await counts('Two sessions'), [0, 1]);
    await context.close();
  });
});
