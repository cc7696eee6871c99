import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { goToRow, makeFile, makeFolder, rowOf, saved, until } from './files-world.ts';

describe('sharing on the files page', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('shares by completion; the other sees it live, is listed with the reason, and loses it at revoke', async () => {
    const folder = await makeFolder(app, 'Common');
    const file = await makeFile(app, 'common.txt', 'for both', folder.id);
    const other = await makeUser(app, { name: 'Berta Brahms', email: 'berta@example.org' });
    const [{ page, problems }, theirs] = await Promise.all([
      signedIn(browser, app, { path: `/files/folder/${folder.id}` }),
      signedIn(browser, app, { path: '/files/shared', userId: other.id }),
    ]);
    await theirs.page.getByText('Nothing is shared with you').waitFor();
    // Firefox gives the focus to one window alone, and what is suggested goes with it.
    await page.bringToFront();
    await goToRow(page, 'common.txt');
    await page.keyboard.press('s');
    await page.getByText('Who can see this: 1 person').waitFor();
    await page.keyboard.type('brah');
    await page.getByRole('option', { name: /Berta/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByLabel('What they can do').selectOption('can edit');
    await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).press('Enter');
    await page.getByText('Who can see this: 2 people').waitFor();
    await page.getByText('can edit · it is shared with them').waitFor();
    await assertAccessible(page);
    const grants = data(await app.get(`/v1/files/${file.id}/permissions`));
    assert.deepEqual(
      grants.map((grant: Record<string, string>) => [grant.principal_id, grant.role]),
      [[other.id, 'editor']],
    );

    await rowOf(theirs.page, 'common.txt').waitFor();
    await goToRow(theirs.page, 'common.txt');
    await theirs.page.keyboard.press('Enter');
    await theirs.page.getByText('for both').waitFor();

    await page.getByLabel('What Berta Brahms can do').selectOption('can see');
    await page.getByText('can see · it is shared with them').waitFor();
    await page.getByRole('button', { name: 'Stop sharing with Berta Brahms' }).press('Enter');
    await page.getByText('Who can see this: 1 person').waitFor();
    await theirs.page.getByText('This file is not there').waitFor();
    await theirs.page.goto(`${app.address}/files/shared`);
    await theirs.page.getByText('Nothing is shared with you').waitFor();
    assert.deepEqual(data(await app.get(`/v1/files/${file.id}/permissions`)), []);
    assert.deepEqual([problems, theirs.problems], [[], []]);
  });

  it('tells that a folder is shared with a group, and who reaches what is in it', async () => {
    const member = await makeUser(app, { name: 'Clara Group', email: 'clara@example.org' });
    data(await app.post('/v1/groups', { name: 'Quartet', member_ids: [member.id] }), 201);
    const folder = await makeFolder(app, 'Scores');
    await makeFile(app, 'viola.txt', 'x', folder.id);
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByRole('button', { name: 'Share this folder' }).press('Enter');
    await page.getByText('Who can see this: 1 person').waitFor();
    await page.keyboard.type('quart');
    await page.getByRole('option', { name: /Quartet/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).press('Enter');
    await page.getByText('it is shared with the group “Quartet”').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await goToRow(page, 'viola.txt');
    await page.keyboard.press('s');
    await page.getByText('can see · the folder “Scores” is shared with the group “Quartet”').waitFor();
    await page.keyboard.press('Escape');

    const theirs = await signedIn(browser, app, { path: '/files/shared', userId: member.id });
    await goToRow(theirs.page, 'Scores');
    await theirs.page.keyboard.press('Enter');
    await rowOf(theirs.page, 'viola.txt').waitFor();
    await goToRow(theirs.page, 'viola.txt');
    // A viewer changes nothing: the page offers no more, and says why.
    await theirs.page.getByText('You can see what is in this folder, but not add to it.').waitFor();
    assert.equal(await theirs.page.getByRole('button', { name: 'Upload' }).count(), 0);
    await theirs.page.keyboard.press('#');
    await theirs.page.getByText('You can see this, but not change it.').waitFor();
    await rowOf(theirs.page, 'viola.txt')
      .getByText(/ · can see$/)
      .filter({ visible: true })
      .waitFor();
    await assertAccessible(theirs.page);
    await theirs.page.keyboard.press('s');
    await theirs.page.getByText('Only its owner and who can share it can change this.').waitFor();
    assert.deepEqual([problems, theirs.problems], [[], []]);
  });

  it('offers what a role allows, and says why there is no more, also when the role changes', async () => {
    const person = await makeUser(app, { name: 'Emil Editor', email: 'emil@example.org' });
    const folder = await makeFolder(app, 'Drafts of us');
    const file = await makeFile(app, 'plan.txt', 'a plan', folder.id);
    const share = (role: string) =>
      app.post(`/v1/file-folders/${folder.id}/permissions`, { principal_id: person.id, role });
    data(await share('editor'), 201);
    const path = `/files/folder/${folder.id}`;
    const { page, problems } = await signedIn(browser, app, { path, userId: person.id });
    await rowOf(page, 'plan.txt')
      .getByText(/ · can edit$/)
      .filter({ visible: true })
      .waitFor();
    await page.getByRole('button', { name: 'Upload' }).waitFor();
    await goToRow(page, 'plan.txt');
    await page.keyboard.press('x');
    await page.getByText('Only its owner can move it to another folder.').waitFor();
    const bar = page.getByRole('main');
    await bar.getByRole('button', { name: 'Move to the trash' }).waitFor();
    assert.equal(await bar.getByRole('button', { name: 'Move to a folder' }).count(), 0);
    // The editor renames.
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: /plan\.txt/ }).fill('plan b.txt');
    await page.keyboard.press('Enter');
    await rowOf(page, 'plan b.txt').waitFor();
    await saved(page);
    await until(async () => data(await app.get(`/v1/files/${file.id}`)).title === 'plan b.txt', 'renamed');

    data(await share('viewer'), 201);
    await page.getByText('You can see this, but not change it.').waitFor();
    assert.equal(await bar.getByRole('button', { name: 'Move to the trash' }).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByText('You can see what is in this folder, but not add to it.').waitFor();
    await page.keyboard.press('n');
    await page.getByText('You can see what is in this folder, but not add to it.').nth(1).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await goToRow(page, 'plan b.txt');
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByText('can see', { exact: true }).waitFor();
    await details.getByText('You can see this, but not change it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Rename' }).count(), 0);
    assert.deepEqual(problems, []);
  });

  it('shares by address, with a message to the person', async () => {
    const person = await makeUser(app, { name: 'Dora Address', email: 'dora@example.org' });
    const file = await makeFile(app, 'letter.txt');
    const { page, problems } = await signedIn(browser, app, { path: `/files/file/${file.id}` });
    await page.getByRole('heading', { name: 'letter.txt' }).waitFor();
    await page.keyboard.press('s');
    await page.getByLabel('Person or group').fill('DORA@example.org');
    // What is suggested covers the rest of the dialog.
    await page.getByRole('option', { name: /Dora Address/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Stop sharing with Dora Address' }).waitFor();
    await saved(page);
    const sent = async () => data(await app.get('/v1/search?q=letter&kinds=message'));
    await until(async () => (await sent()).length === 1, 'one message tells of it');
    const grants = data(await app.get(`/v1/files/${file.id}/permissions`));
    assert.deepEqual(
      grants.map((grant: Record<string, string>) => grant.principal_id),
      [person.id],
    );
    assert.deepEqual(problems, []);
  });
});
