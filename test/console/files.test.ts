import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { goToRow, gridOf, makeFile, makeFolder, rowOf, saved, titlesIn, until } from './files-world.ts';
import { loseAnswer } from './interrupting.ts';

describe('the files page by keyboard', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('makes a folder, opens it, and goes up again', async () => {
    const { page, problems } = await signedIn(browser, app, { path: '/files/' });
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('Plans');
    await page.keyboard.press('Enter');
    await rowOf(page, 'Plans').waitFor();
    await saved(page);
    const folders = data(await app.get('/v1/file-folders'));
    assert.equal(folders.filter(({ name }: { name: string }) => name === 'Plans').length, 1);
    await goToRow(page, 'Plans');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    await page.keyboard.press('Backspace');
    await page.getByRole('heading', { name: 'My files' }).waitFor();
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  it('renames in place, and takes it back', async () => {
    const folder = await makeFolder(app, 'Names');
    const file = await makeFile(app, 'before.txt', 'x', folder.id);
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await goToRow(page, 'before.txt');
    await page.keyboard.press('F2');
    // The name is selected without its ending.
    await page.keyboard.type('after');
    await page.keyboard.press('Enter');
    await rowOf(page, 'after.txt').waitFor();
    await saved(page);
    assert.equal(data(await app.get(`/v1/files/${file.id}`)).title, 'after.txt');
    await page.keyboard.press('z');
    await rowOf(page, 'before.txt').waitFor();
    await saved(page);
    assert.equal(data(await app.get(`/v1/files/${file.id}`)).title, 'before.txt');
    await goToRow(page, 'before.txt');
    await page.keyboard.press('F2');
    await page.keyboard.type('never');
    await page.keyboard.press('Escape');
    await rowOf(page, 'before.txt').waitFor();
    assert.deepEqual(problems, []);
  });

  it('moves a range to another folder by the dialog, and takes it back', async () => {
    const [from, to] = [await makeFolder(app, 'From'), await makeFolder(app, 'Target of moves')];
    for (const name of ['one', 'two', 'three', 'four']) await makeFile(app, name, name, from.id);
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${from.id}` });
    await goToRow(page, 'three');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('heading', { name: '2 selected' }).waitFor();
    await page.keyboard.press('m');
    await page.getByLabel('Find a folder').waitFor();
    await page.keyboard.type('target of');
    await page.keyboard.press('Enter');
    await until(async () => (await gridOf(page).getByRole('row').count()) === 2, 'two rows stay');
    await saved(page);
    assert.deepEqual((await titlesIn(app, to.id)).sort(), ['three', 'two']);
    assert.deepEqual((await titlesIn(app, from.id)).sort(), ['four', 'one']);
    await page.keyboard.press('z');
    await rowOf(page, 'three').waitFor();
    await saved(page);
    assert.equal((await titlesIn(app, from.id)).length, 4);
    assert.deepEqual(problems, []);
  });

  it('moves to the trash, takes it back, and restores from the trash', async () => {
    const folder = await makeFolder(app, 'Short-lived');
    const [file] = [
      await makeFile(app, 'gone.txt', 'x', folder.id),
      await makeFile(app, 'stays.txt', 'x', folder.id),
    ];
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    const stateOf = async () => data(await app.get(`/v1/files/${file.id}`)).state;
    await goToRow(page, 'gone.txt');
    await page.keyboard.press('#');
    await rowOf(page, 'gone.txt').waitFor({ state: 'detached' });
    await saved(page);
    assert.equal(await stateOf(), 'trashed');
    await page.keyboard.press('z');
    await rowOf(page, 'gone.txt').waitFor();
    await saved(page);
    assert.equal(await stateOf(), 'active');
    await goToRow(page, 'gone.txt');
    await page.keyboard.press('#');
    await saved(page);
    await page.getByRole('link', { name: 'Trash' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Trash' }).waitFor();
    await gridOf(page).focus();
    await goToRow(page, 'gone.txt');
    await page.keyboard.press('r');
    await rowOf(page, 'gone.txt').waitFor({ state: 'detached' });
    await saved(page);
    assert.equal(await stateOf(), 'active');
    assert.deepEqual(problems, []);
  });

  it('makes a document, which it shows', async () => {
    const folder = await makeFolder(app, 'Writing');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByText('Nothing here yet').waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new document');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New document' }).getByLabel('Name').fill('Minutes');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Minutes' }).waitFor();
    await page.getByRole('heading', { name: 'Revisions' }).waitFor();
    const made = data(await app.get(`/v1/documents?folder_id=${folder.id}`));
    assert.deepEqual(
      made.map(({ title }: { title: string }) => title),
      ['Minutes'],
    );
    await page.keyboard.press('Backspace');
    await rowOf(page, 'Minutes').waitFor();
    assert.deepEqual(problems, []);
  });

  it('finds by words in texts, and opens what it found', async () => {
    await makeFile(app, 'recipe.md', '# Soup\n\nTake some saffron and wait.');
    const { page, problems } = await signedIn(browser, app, { path: '/files/' });
    await gridOf(page).waitFor();
    await until(async () => data(await app.get('/v1/search?q=saffron')).length > 0, 'the text is found');
    await page.keyboard.press('/');
    await page.keyboard.type('saffr');
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    await rowOf(page, 'recipe.md').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'recipe.md' }).waitFor();
    await page.getByText('Take some saffron and wait.').waitFor();
    await page.keyboard.press('Backspace');
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'saffr');
    assert.deepEqual(problems, []);
  });

  it('shows what others and other windows do, without a reload', async () => {
    const folder = await makeFolder(app, 'Live');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByText('Nothing here yet').waitFor();
    const file = await makeFile(app, 'new.txt', 'x', folder.id);
    await rowOf(page, 'new.txt').waitFor();
    data(await app.put(`/v1/files/${file.id}`, { title: 'newer.txt' }));
    await rowOf(page, 'newer.txt').waitFor();
    await app.delete(`/v1/files/${file.id}`);
    await page.getByText('Nothing here yet').waitFor();
    await makeFolder(app, 'Inside', folder.id);
    await rowOf(page, 'Inside').waitFor();
    assert.deepEqual(problems, []);
  });

  it('tells a refusal in words, and shows what is true', async () => {
    const folder = await makeFolder(app, 'Refusals');
    const file = await makeFile(app, 'fine.txt', 'x', folder.id);
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await goToRow(page, 'fine.txt');
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('a/b');
    await page.keyboard.press('Enter');
    await page.getByText('Not done: Rename').waitFor();
    await rowOf(page, 'fine.txt').waitFor();
    assert.equal(data(await app.get(`/v1/files/${file.id}`)).title, 'fine.txt');
    assert.deepEqual(problems, []);
  });

  it('does a write once whose answer is lost', async () => {
    const folder = await makeFolder(app, 'Lossy');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByText('Nothing here yet').waitFor();
    let lost = 0;
    await page.route('**/v1/file-folders', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost++;
      await loseAnswer(route);
    });
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('Once');
    await page.keyboard.press('Enter');
    await rowOf(page, 'Once').waitFor();
    await saved(page);
    const folders = data(await app.get('/v1/file-folders'));
    assert.deepEqual([lost, folders.filter(({ name }: { name: string }) => name === 'Once').length], [1, 1]);
    assert.deepEqual(problems, []);
  });
});
