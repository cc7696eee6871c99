import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';
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

describe('mail in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let n = 0;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    await append(app, { subject: 'first of all', query: 'flag=read' });
    window = await signedIn(browser, app);
    ({ page } = window);
    await listOf(page);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });
  beforeEach(() => {
    n++;
  });

  /** New messages that the page shows. */
  async function arrived(count: number, query = ''): Promise<{ ids: string[]; names: string[] }> {
    if (!page.url().endsWith('/mail/inbox')) {
      await page.getByRole('link', { name: /^Inbox/ }).click();
    }
    const names = Array.from({ length: count }, (_, index) => `test ${n} mail ${index}`);
    const ids: string[] = [];
    for (const subject of names) ids.push(await append(app, { subject, query }));
    for (const name of names) await rowOf(page, name).waitFor();
    return { ids, names };
  }

  const folderOf = async (id: string) => (await messageOf(app, id)).folder_id;

  it('mail appears by itself, and the title counts what is unread', async () => {
    const { ids, names } = await arrived(1);
    await eventually(async () => (await page.title()).startsWith('(1) Inbox'), 'the title counts');
    await rowOf(page, names[0] ?? '').click();
    await page.getByRole('heading', { level: 1, name: names[0] ?? '' }).waitFor();
    await eventually(async () => (await messageOf(app, ids[0] ?? '')).flags.read, 'it is read');
    await eventually(async () => (await page.title()).startsWith('Inbox'), 'the title counts no more');
    await page.keyboard.press('Escape');
    assert.deepEqual(window.problems, []);
  });

  it('keys walk, archive and take back; each is done once', async () => {
    const { ids, names } = await arrived(3, 'flag=read');
    const { cursor } = await changesSince(app);
    await rowOf(page, names[2] ?? '').click();
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: names[1] ?? '' }).waitFor();
    await page.keyboard.press('e');
    await rowOf(page, names[1] ?? '').waitFor({ state: 'detached' });
    // The next message is open now.
    await page.getByRole('heading', { level: 1, name: names[0] ?? '' }).waitFor();
    const archive = await folderId(app, 'archive');
    await eventually(async () => (await folderOf(ids[1] ?? '')) === archive, 'it is archived');
    assert.equal(await timesOf(app, cursor, 'message.moved', ids[1] ?? ''), 1);
    await page.keyboard.press('z');
    await rowOf(page, names[1] ?? '').waitFor();
    const inbox = await folderId(app, 'inbox');
    await eventually(async () => (await folderOf(ids[1] ?? '')) === inbox, 'it is back');
    assert.equal(await timesOf(app, cursor, 'message.moved', ids[1] ?? ''), 2);
    await page.keyboard.press('Escape');
    assert.deepEqual(window.problems, []);
  });

  it('no key is lost that is pressed before the address has followed a letter that was opened', async () => {
    const { names } = await arrived(8, 'flag=read');
    const press = (key: string, times: number) =>
      page.evaluate(
        `(async () => {
          for (let n = 0; n < ${times}; n++) {
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
            for (let n = 0; n < 5; n++) await undefined;
          }
        })()`,
      );
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await press('Enter', 1);
    await press('j', 6);
    await page.getByRole('heading', { level: 1, name: names[1] ?? '' }).waitFor();
    // Opened and left in one breath.
    await page.keyboard.press('Escape');
    await page.getByText('No message is open').waitFor();
    await page.evaluate(`(async () => {
      const key = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      key('Enter');
      for (let n = 0; n < 5; n++) await undefined;
      key('Escape');
    })()`);
    await page.waitForTimeout(1500);
    await page.getByText('No message is open').waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('keys act after a box was ticked with the mouse', async () => {
    const { ids, names } = await arrived(1, 'flag=read');
    await rowOf(page, names[0] ?? '')
      .getByRole('checkbox')
      .click();
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('s');
    await eventually(async () => (await messageOf(app, ids[0] ?? '')).flags.starred, 'it is starred');
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  it('a range is starred, labelled and moved by one step each', async () => {
    const { ids, names } = await arrived(4, 'flag=read');
    const { cursor } = await changesSince(app);
    const list = page.getByRole('grid');
    await list.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Label' }).fill(`label ${n}`);
    await page.getByRole('option', { name: `New label “label ${n}”` }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `label ${n}` }).waitFor();
    await page.keyboard.press('v');
    await page.getByRole('combobox', { name: 'Move to' }).fill('junk');
    await page.keyboard.press('Enter');
    for (const name of names.slice(1)) await rowOf(page, name).waitFor({ state: 'detached' });
    await rowOf(page, names[0] ?? '').waitFor();
    const junk = await folderId(app, 'junk');
    for (const id of ids.slice(1)) {
      await eventually(async () => (await folderOf(id)) === junk, 'it is moved');
      const { flags, labels } = await messageOf(app, id);
      assert.equal(flags.starred, true);
      assert.deepEqual(labels, [`label ${n}`]);
    }
    const { changes } = await changesSince(app, cursor);
    const own = changes.filter(({ ids: { message_ids = [] } }) => message_ids.includes(ids[1] ?? ''));
    assert.deepEqual(
      own.map(({ type, ids: { message_ids = [] } }) => `${type} ${message_ids.length}`),
      ['message.changed 3', 'message.changed 3', 'message.moved 3'],
    );
    await page.getByRole('link', { name: `label ${n}` }).click();
    await rowOf(page, names[3] ?? '').waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('deleting moves to the trash, and from there for ever when asked; it can be taken back', async () => {
    const { ids, names } = await arrived(1, 'flag=read');
    const [id = ''] = ids;
    await rowOf(page, names[0] ?? '').click();
    await page.keyboard.press('#');
    const trash = await folderId(app, 'trash');
    await eventually(async () => (await folderOf(id)) === trash, 'it is in the trash');
    await page.getByRole('link', { name: /^Trash/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    await rowOf(page, names[0] ?? '').click();
    await page.keyboard.press('#');
    await page.getByRole('dialog', { name: 'Delete 1 message for ever?' }).waitFor();
    assert.equal((await app.get(`/v1/messages/${id}`)).status, 200);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Trash is empty' }).waitFor();
    await eventually(async () => (await app.get(`/v1/messages/${id}`)).status === 404, 'it is gone');
    await page.keyboard.press('z');
    await rowOf(page, names[0] ?? '').waitFor();
    await eventually(async () => (await app.get(`/v1/messages/${id}`)).status === 200, 'it is back');
    assert.deepEqual(window.problems, []);
  });

  it('folders are made and renamed, and messages dragged onto them', async () => {
    const { ids, names } = await arrived(1, 'flag=read');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`Folder ${n}`);
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: `Folder ${n}` });
    await link.waitFor();
    await rowOf(page, names[0] ?? '').dragTo(link);
    await rowOf(page, names[0] ?? '').waitFor({ state: 'detached' });
    const { json } = await app.get('/v1/folders');
    const folder = json.data.find((one: { name: string }) => one.name === `Folder ${n}`);
    await eventually(async () => (await folderOf(ids[0] ?? '')) === folder.id, 'it is in the folder');
    await link.hover();
    await page.getByRole('button', { name: `More: Folder ${n}` }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`Renamed ${n}`);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `Renamed ${n}` }).click();
    await rowOf(page, names[0] ?? '').waitFor();
    await eventually(async () => {
      const after = await app.get('/v1/folders');
      return after.json.data.some((one: { name: string }) => one.name === `Renamed ${n}`);
    }, 'the folder is renamed');
    assert.deepEqual(window.problems, []);
  });

  it('search finds, marks the words, and opens what was found', async () => {
    await arrived(1);
    await append(app, {
      subject: `about zebra${n}`,
      body: `See the zebra${n} of <b>html</b>.\r\n`,
      query: 'flag=read',
    });
    await page.keyboard.press('/');
    await page.keyboard.type(`zebra${n}`);
    await page.keyboard.press('Enter');
    const row = rowOf(page, `about zebra${n}`);
    await page.getByRole('navigation', { name: 'Results' }).waitFor();
    // What was written a moment ago may be found at the next search only.
    await eventually(async () => {
      const { json } = await app.get(`/v1/search?q=zebra${n}`);
      return json.data.length === 1;
    }, 'it is in the index');
    await page.reload();
    await row.waitFor();
    assert.equal(await row.locator('mark').first().textContent(), `zebra${n}`);
    assert.match((await row.textContent()) ?? '', /<b>html<\/b>/);
    await row.click();
    await page.getByRole('heading', { level: 1, name: `about zebra${n}` }).waitFor();
    await page.getByRole('link', { name: 'Files' }).last().click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('no rule of accessibility is broken, in both themes and on a phone', async () => {
    await arrived(2);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await rowOf(page, `test ${n} mail 1`).click();
      await page.getByRole('heading', { level: 1, name: `test ${n} mail 1` }).waitFor();
      await assertAccessible(page);
      await page.keyboard.press('v');
      await page.getByRole('combobox').waitFor();
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('combobox').waitFor({ state: 'detached' });
    }
    await page.goto(`${app.address}/mail/search`);
    await page.getByRole('heading', { name: 'Search everything you have' }).waitFor();
    await assertAccessible(page);
    await page.goto(`${app.address}/mail/search?q=mail`);
    await page.getByRole('row').first().waitFor();
    await assertAccessible(page);
    await page.goto(`${app.address}/mail/drafts`);
    await page.getByRole('heading', { name: 'No drafts' }).waitFor();
    await assertAccessible(page);
    assert.deepEqual(window.problems, []);
  });

  it('on a phone there is one column, with a way back and the folders in a drawer', async () => {
    const phone = await signedIn(browser, app, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await listOf(phone.page);
    await phone.page.getByRole('row').first().tap();
    await phone.page.getByRole('button', { name: 'Back to the list' }).waitFor();
    assert.equal(await phone.page.getByRole('grid').isVisible(), false);
    await assertAccessible(phone.page);
    await phone.page.getByRole('button', { name: 'Back to the list' }).tap();
    await phone.page.getByRole('grid').waitFor();
    await phone.page.getByRole('button', { name: 'Folders' }).tap();
    await phone.page.getByRole('dialog').getByRole('link', { name: 'Archive' }).tap();
    await phone.page.getByRole('heading', { level: 1, name: 'Archive' }).waitFor();
    const width = await phone.page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 390);
    assert.deepEqual(phone.problems, []);
    await phone.context.close();
  });

  it('subjects are listed newest first', async () => {
    await page.goto(`${app.address}/mail/inbox`);
    const { names } = await arrived(3, 'flag=read');
    assert.deepEqual((await subjectsIn(page)).slice(0, 3), names.toReversed());
  });
});
