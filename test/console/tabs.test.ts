/** Several tabs, and a server that is killed: each write is done once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { ANY_ENGINE, freshDatabase, type TestDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type Door, signedIn, startBrowser } from './browser.ts';
import { lost } from './interrupting.ts';
import { doorOf, freePort } from './killed-server.ts';

const FOLDERS = '**/v1/file-folders';

describe('writes of several tabs, and over the end of the server', () => {
  let storage: TestDatabase;
  let server: ServedProcess;
  let browser: Browser;
  let door: Door;
  let port: number;
  const start = async () => {
    const { dataDir, databaseUrl } = storage;
    server = await serveProcess({
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_DATABASE_URL: databaseUrl ?? '',
      ATRIUM_PORT: String(port),
    });
  };
  before(async () => {
    [storage, port, browser] = await Promise.all([freshDatabase(ANY_ENGINE), freePort(), startBrowser()]);
    await start();
    door = doorOf(`http://127.0.0.1:${port}`);
  });
  after(async () => {
    await browser.close();
    await server.kill();
    await storage.remove();
  });

  const count = async (name: string) =>
    data(await door.get('/v1/file-folders')).filter((folder: { name: string }) => folder.name === name)
      .length;
  const opened = async (page: Page) => {
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    return page;
  };
  const makeFolder = async (page: Page, name: string) => {
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
  };
  const isSaved = (page: Page) => page.getByRole('button', { name: 'Everything is saved' }).waitFor();

  it('a tab that is killed while it sends leaves its writes to the next one, once', async () => {
    const { page: first, context, problems } = await signedIn(browser, door, { path: '/files' });
    await opened(first);
    const second = await context.newPage();
    await second.goto(`${door.address}/files`);
    await opened(second);
    const keys = await lost(first, FOLDERS, 'POST');
    await makeFolder(first, 'Of the first');
    await eventually(async () => (await count('Of the first')) === 1, 'the server has done it');
    await makeFolder(second, 'Of the second');
    await second.getByRole('button', { name: '2 changes' }).waitFor();
    assert.equal(await count('Of the second'), 0);
    await first.close();
    await isSaved(second);
    assert.ok(keys.length > 0);
    assert.deepEqual([await count('Of the first'), await count('Of the second')], [1, 1]);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('a write that one tab takes back is not sent by the other', async () => {
    const { page: first, context } = await signedIn(browser, door, { path: '/files' });
    await opened(first);
    const second = await context.newPage();
    await second.goto(`${door.address}/files`);
    await opened(second);
    await context.setOffline(true);
    await makeFolder(second, 'Taken back');
    await second.getByRole('button', { name: /1 change/ }).click();
    await second.getByRole('button', { name: 'Take it back' }).click();
    await second.getByRole('heading', { name: 'Everything is saved' }).waitFor();
    await context.setOffline(false);
    await second.keyboard.press('Escape');
    // By its element: while it fades away it has no role, and the keys are still its own.
    await second.locator('[role=dialog]').waitFor({ state: 'detached' });
    await makeFolder(second, 'After it');
    await eventually(async () => (await count('After it')) === 1, 'the next one is sent');
    assert.equal(await count('Taken back'), 0);
    await context.close();
  });

  it('a write whose answer is lost with the server is done once when it is back', async () => {
    const { page, context, problems } = await signedIn(browser, door, { path: '/files' });
    await opened(page);
    await lost(page, FOLDERS, 'POST');
    await makeFolder(page, 'Before the end');
    await eventually(async () => (await count('Before the end')) === 1, 'the server has done it');
    await server.kill();
    await page.unroute(FOLDERS);
    await makeFolder(page, 'Without a server');
    await page.getByRole('button', { name: 'Offline: 2 changes not saved yet' }).waitFor();
    await start();
    await isSaved(page);
    await page.reload();
    await isSaved(page);
    assert.deepEqual([await count('Before the end'), await count('Without a server')], [1, 1]);
    assert.deepEqual(problems, []);
    await context.close();
  });
});
