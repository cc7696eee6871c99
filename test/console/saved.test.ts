/** What the page says of what is saved, and what it does where saving fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, IS_FIREFOX, signedIn, startBrowser } from './browser.ts';
import { answered, cutOff, held, lost } from './interrupting.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Etxt.exe';
const FOLDERS = '**/v1/file-folders';
const CONTACTS = '**/v1/contacts';
/** How long a server keeps answers that is soon to forget them. */
const TTL_S = 4;

describe('what is saved', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const state = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const namesOf = async (path: string): Promise<string[]> =>
    data(await app.get(path)).map(({ name }: { name: string }) => name);
  const count = async (path: string, name: string) =>
    (await namesOf(path)).filter((one) => one === name).length;
  const openFiles = async () => {
    const window = await signedIn(browser, app, { path: '/files' });
    await window.page.getByRole('heading', { name: 'My files' }).waitFor();
    return window;
  };
  const makeFolder = async (page: Page, name: string) => {
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
  };
  const goTo = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const makeContact = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'New contact' }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.keyboard.press('Control+s');
  };

  it('counts a form that is filled in, and the browser asks before it goes', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/contacts/' });
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.getByText('No contacts here yet').waitFor();
    await state(page, 'Everything is saved').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name', { exact: true }).pressSequentially(HOSTILE);
    await state(page, '1 change not saved yet').click();
    await page.getByRole('dialog').getByText(`Contact: ${HOSTILE}`).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.close({ runBeforeUnload: true });
    await eventually(async () => asked.join() === 'beforeunload', 'the browser asks');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await state(page, 'Everything is saved').waitFor();
    await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
    assert.deepEqual([asked.length, problems], [1, []]);
  });

  it('counts files that are being uploaded, on every page', async () => {
    const { page, problems } = await openFiles();
    const release = await held(page, '**/v1/files/uploads', 'POST');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('u')]);
    await chooser.setFiles(
      [1, 2].map((n) => ({ name: `${n}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') })),
    );
    await goTo(page, 'Contacts');
    await state(page, 'Saving 2 changes').click();
    await page.getByRole('dialog').getByText('Uploading 2 files').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await page.getByRole('button', { name: 'Pause all uploads' }).click();
    await state(page, '2 changes not saved yet').waitFor();
    await page.getByRole('button', { name: 'Go on with all uploads' }).click();
    release();
    await state(page, 'Everything is saved').waitFor();
    assert.equal(data(await app.get('/v1/files')).length, 2);
    assert.deepEqual(problems, []);
  });

  it('shows what the server fails at again and again, while the rest goes on; tried again, it is done once', async () => {
    const { page, problems } = await openFiles();
    const keys = await answered(page, FOLDERS, 'POST', 500);
    await makeFolder(page, 'Poison');
    await state(page, '1 change needs you').waitFor();
    assert.equal(keys.length, 5);
    await goTo(page, 'Contacts');
    await makeContact(page, 'In another lane');
    await page.getByRole('heading', { name: 'In another lane' }).waitFor();
    await page.unroute(FOLDERS);
    const repeats: string[] = [];
    page.on('request', (request) => {
      const key = request.headers()['idempotency-key'];
      if (key !== undefined && request.url().endsWith('/v1/file-folders')) repeats.push(key);
    });
    await state(page, '1 change needs you').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/The server has failed .* It broke\./).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('heading', { name: 'Everything is saved' }).waitFor();
    assert.equal(await count('/v1/file-folders', 'Poison'), 1);
    assert.deepEqual(new Set([...keys, ...repeats]).size, 1);
    assert.deepEqual(problems, []);
  });

  it('leaves the text of what is discarded in the clipboard, or to be read', async () => {
    for (const hasClipboard of [true, false]) {
      const { page, context, problems } = await openFiles();
      if (!IS_FIREFOX) await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      if (!hasClipboard)
        await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
      await answered(page, FOLDERS, 'POST', 500);
      await makeFolder(page, HOSTILE);
      await state(page, '1 change needs you').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
      if (!hasClipboard) {
        await page.getByRole('dialog').getByText(`name: ${HOSTILE}`).waitFor();
        await assertAccessible(page);
      } else {
        await page.getByText('Discarded. Its text is in the clipboard.').waitFor();
        if (!IS_FIREFOX)
          assert.equal(await page.evaluate('navigator.clipboard.readText()'), `name: ${HOSTILE}`);
      }
      assert.equal(await count('/v1/file-folders', HOSTILE), 0);
      assert.deepEqual(problems, []);
      await context.close();
    }
  });

  it('asks before it sends again what is older than the server keeps answers', async (t) => {
    const forgetful = await startApp(ANY_ENGINE, { ATRIUM_IDEMPOTENCY_TTL: String(TTL_S) });
    t.after(() => forgetful.stop());
    const made = async () => data(await forgetful.get('/v1/contacts')).length;
    const { page, context, problems } = await signedIn(browser, forgetful, { path: '/contacts/' });
    t.after(() => context.close());
    const keys = await lost(page, CONTACTS, 'POST');
    await makeContact(page, 'Once or twice');
    await eventually(async () => (await made()) === 1, 'it is there');
    await eventually(async () => keys.length > 1, 'it is sent again in time');
    await cutOff(page, CONTACTS, 'POST');
    await page.waitForTimeout(TTL_S * 1000);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await state(page, '1 change needs you').click();
    await page.getByRole('dialog').getByText('Look whether it was done').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    // The form has the text still, and can be saved.
    await page.getByRole('dialog').getByText('Contact: Once or twice').waitFor();
    assert.equal(await made(), 1);
    assert.deepEqual(problems, []);
  });

  const refusing: Record<string, string> = {
    'gives no database':
      'Object.defineProperty(window, "indexedDB", { value: { open() { throw new Error("no") } } })',
    'never opens its database':
      'Object.defineProperty(window, "indexedDB", { value: { open: () => Object.setPrototypeOf(new EventTarget(), IDBOpenDBRequest.prototype) } })',
    'has no room':
      'for (const name of ["add", "put"]) IDBObjectStore.prototype[name] = () => { throw new DOMException("full", "QuotaExceededError") }',
  };
  for (const [how, script] of Object.entries(refusing))
    it(`says so and goes on in memory where the browser ${how}`, async () => {
      const { page, context, problems } = await openFiles();
      await context.addInitScript(script);
      await page.reload();
      await page.getByRole('heading', { name: 'My files' }).waitFor();
      await cutOff(page, FOLDERS, 'POST');
      await makeFolder(page, `Browser ${how}`);
      await state(page, /Offline: 1 change/).click();
      await page.getByText('This browser keeps nothing for this page').waitFor();
      await page.keyboard.press('Escape');
      // By its element: while it fades away it has no role, and the keys are still its own.
      await page.locator('[role=dialog]').waitFor({ state: 'detached' });
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('u')]);
      await chooser.setFiles({ name: `${how}.txt`, mimeType: 'text/plain', buffer: Buffer.from('x') });
      await page.unroute(FOLDERS);
      await page.getByText('1 file uploaded').waitFor();
      await state(page, 'Everything is saved').waitFor();
      assert.equal(await count('/v1/file-folders', `Browser ${how}`), 1);
      assert.deepEqual(problems, []);
      await context.close();
    });
});
