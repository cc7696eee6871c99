/** People who use one browser, one after the other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';
import { held } from './interrupting.ts';
import { append } from './mail-world.ts';

describe('people who share a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let herKey: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    const grace = await makeUser(app, { name: 'Grace', email: 'grace@example.org' });
    const { permissions } = data(await app.get('/v1/api-keys/me'));
    const { json } = await app.post('/v1/api-keys', { name: 'hers', user_id: grace.id, permissions });
    herKey = json.data.key;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const enter = async (page: Page, key: string, name: RegExp) => {
    await page.getByLabel('Code or key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name }).waitFor();
  };
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: /Sign out/ }).click();
  };
  const endSessions = async () => {
    const keys = (await app.get('/v1/api-keys?limit=100')).json.data as { id: string; kind?: string }[];
    for (const { id, kind } of keys) if (kind === 'session') await app.delete(`/v1/api-keys/${id}`);
  };
  const titles = async (key: string): Promise<string[]> =>
    data(await app.get('/v1/files', { key })).map(({ title }: { title: string }) => title);

  it('an upload waits when its session ends, for its own user alone, and goes on by itself', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/files' });
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    const release = await held(page, /\/v1\/files\/uploads\/[^/]+\/parts\//, 'PUT');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('u')]);
    await chooser.setFiles({ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('of the owner') });
    await eventually(
      async () => data(await app.get('/v1/files/uploads')).length === 1,
      'the upload has begun',
    );
    await endSessions();
    release();
    await page.getByLabel('Code or key').waitFor();
    await enter(page, herKey, /^Account: Grace/);
    await page.goto(`${app.address}/files`);
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.equal(await page.getByText('mine.txt').count(), 0);
    await signOut(page);
    await enter(page, OWNER_KEY, /^Account: owner/i);
    await eventually(async () => (await titles(OWNER_KEY)).includes('mine.txt'), 'the file is there');
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    assert.deepEqual(await titles(OWNER_KEY), ['mine.txt']);
    assert.deepEqual(await titles(herKey), []);
    assert.deepEqual(problems, []);
  });

  it('nobody sees the labels of another', async () => {
    await append(app, { subject: 'Labelled', query: 'label=Secret+project' });
    const { page, problems } = await signedIn(browser, app, { path: '/mail/inbox' });
    await page.getByRole('link', { name: 'Secret project' }).waitFor();
    await signOut(page);
    await enter(page, herKey, /^Account: Grace/);
    await page.goto(`${app.address}/mail/inbox`);
    await page.getByRole('link', { name: /Inbox/ }).waitFor();
    assert.equal(await page.getByText('Secret project').count(), 0);
    await signOut(page);
    await enter(page, OWNER_KEY, /^Account: owner/i);
    await page.getByRole('link', { name: 'Secret project' }).waitFor();
    assert.deepEqual(problems, []);
  });
});
