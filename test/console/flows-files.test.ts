/** What people do with files and contacts all day, each flow by the keyboard alone, by touch on a telephone, and by the mouse. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { startBrowser } from './browser.ts';
import { titlesIn } from './files-world.ts';
import { inWindow, WAYS } from './hands.ts';
import { chooseFolder } from './interrupting.ts';
import { rowOf } from './mail-world.ts';

describe('every flow of files and contacts in every way', () => {
  let app: TestApp;
  let browser: Browser;
  let directory: string;
  let other: { id: string };
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    directory = await mkdtemp(join(tmpdir(), 'atrium-flows-'));
    other = await makeUser(app, { name: 'Berta Brahms', email: 'berta@localhost' });
  });
  after(async () => {
    await browser.close();
    await app.stop();
    await rm(directory, { recursive: true });
  });

  for (const way of WAYS) {
    describe(`by ${way}`, () => {
      const name = way.replace('the ', '');
      it('a folder is uploaded and shared, who can see it is shown, and the other opens it from the mail', async () => {
        const base = join(directory, `Trip ${name}`);
        await mkdir(join(base, 'Photos'), { recursive: true });
        await writeFile(join(base, 'plan.txt'), `the plan of ${name}`);
        await writeFile(join(base, 'Photos', 'one.txt'), 'one');
        await inWindow(way, browser, app, { path: '/files/' }, async (hand, page) => {
          await hand.press(page.getByRole('button', { name: 'Upload', exact: true }));
          await chooseFolder(page, base, () =>
            hand.choose(page.getByRole('menuitem', { name: 'Upload a folder' })),
          );
          await page.getByText('2 files uploaded').waitFor();
          await hand.press(page.getByRole('button', { name: 'Close the list of uploads' }));
          await hand.open(rowOf(page, `Trip ${name}`));
          await page.getByRole('heading', { name: `Trip ${name}` }).waitFor();
          await hand.press(page.getByRole('button', { name: 'Share this folder' }));
          await page.getByText('Who can see this: 1 person').waitFor();
          await hand.write(page.getByRole('combobox', { name: 'Person or group' }), 'brah');
          await hand.choose(page.getByRole('option', { name: /Berta/ }));
          await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }));
          await page.getByText('Who can see this: 2 people').waitFor();
          await page.getByText('can see · it is shared with them').waitFor();
          await hand.close();
        });
        const folders = data(await app.get('/v1/file-folders'));
        const mine = folders.filter((one: { name: string }) => one.name === `Trip ${name}`);
        assert.equal(mine.length, 1);
        assert.deepEqual(await titlesIn(app, mine[0].id), ['plan.txt']);
        await inWindow(way, browser, app, { path: '/mail/inbox', userId: other.id }, async (hand, page) => {
          await hand.open(rowOf(page, `Shared with you: Trip ${name}`));
          await hand.press(page.getByRole('link', { name: `/files/folder/${mine[0].id}` }));
          await page.getByRole('heading', { name: `Trip ${name}` }).waitFor();
          await hand.open(rowOf(page, 'plan.txt'));
          await page.getByText(`the plan of ${name}`).waitFor();
        });
      });

      it('a contact is made, changed, deleted, and taken back', async () => {
        const person = `Person of ${name}`;
        const contacts = async (query = '') => {
          const all = data(await app.get(`/v1/contacts?limit=200${query}`));
          return all.filter((one: { name: string }) => one.name === person);
        };
        await inWindow(way, browser, app, { path: '/contacts/' }, async (hand, page) => {
          await hand.press(page.getByRole('button', { name: 'New contact' }));
          await hand.write(page.getByLabel('Name', { exact: true }), person);
          await hand.press(page.getByRole('button', { name: 'Save', exact: true }));
          await page.getByRole('heading', { name: person }).waitFor();
          await hand.press(page.getByRole('button', { name: 'Edit', exact: true }));
          await hand.write(page.getByLabel('Job title'), 'Clerk');
          await hand.press(page.getByRole('button', { name: 'Save', exact: true }));
          await page.getByText('Clerk').waitFor();
          await eventually(async () => (await contacts()).length === 1, 'there is one');
          await hand.press(page.getByRole('button', { name: 'Move to trash' }));
          await eventually(async () => (await contacts('&trashed=true')).length === 1, 'it is in the trash');
          await hand.undo();
          await eventually(async () => (await contacts()).length === 1, 'it is back');
          await hand.open(rowOf(page, person));
          await page.getByRole('heading', { name: person }).waitFor();
        });
        assert.equal((await contacts())[0].title, 'Clerk');
      });
    });
  }
});
