/** What the lists of mail tell beside the subject: how a text begins, to whom a message goes, and the labels that there are. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { data, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { append, folderId, listOf, messageOf, rowOf } from './mail-world.ts';

describe('lists of mail', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('a row shows how the text begins, also after a change and in both densities', async () => {
    await append(app, { subject: 'Begins', body: 'The kettle boils\r\nat noon.\r\n' });
    const { page, context, problems } = await signedIn(browser, app);
    await listOf(page);
    const row = rowOf(page, 'Begins');
    await row.getByText('The kettle boils at noon.').waitFor();
    await row.click();
    await page.keyboard.press('s');
    await page.getByText('Starred 1 message').waitFor();
    await row.getByText('The kettle boils at noon.').waitFor();
    await assertAccessible(page);
    // Mail that arrives has its beginning, too.
    await append(app, { subject: 'Comes', body: 'A late guest.\r\n' });
    await rowOf(page, 'Comes').getByText('A late guest.').waitFor();
    await page.evaluate(`localStorage.setItem('atrium-density', 'compact')`);
    await page.reload();
    await row.getByText('The kettle boils at noon.').waitFor();
    const heights = await row.evaluate((element) => {
      const { parentElement: space, clientHeight } = element as unknown as {
        parentElement: { scrollWidth: number; clientWidth: number };
        clientHeight: number;
      };
      return [clientHeight <= 52, space.scrollWidth <= space.clientWidth];
    });
    assert.deepEqual(heights, [true, true]);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('Sent and Drafts tell to whom a message goes', async () => {
    await makeUser(app, { name: 'Berta Brahms', email: 'berta@localhost' });
    const to = ['Berta Brahms <berta@localhost>', 'owner@localhost'];
    data(await app.post('/v1/messages', { to, subject: 'To both', text: 'Hello both.' }), 201);
    data(await app.post('/v1/drafts', { subject: 'To nobody yet', text: 'Dear' }), 201);
    const { page, context, problems } = await signedIn(browser, app, { path: '/mail/sent' });
    await listOf(page);
    const row = rowOf(page, 'To both');
    await row.getByText('To: Berta Brahms, owner@localhost').waitFor();
    // A change that is known from another list leaves what the row tells.
    await row.click();
    await page.keyboard.press('s');
    await page.getByRole('link', { name: 'Starred' }).click();
    await rowOf(page, 'To both').click();
    await page.keyboard.press('s');
    await page.getByRole('link', { name: /^Sent/ }).click();
    await row.getByText('To: Berta Brahms, owner@localhost').waitFor();
    await page.getByRole('link', { name: /^Drafts/ }).click();
    await rowOf(page, 'To nobody yet').getByText('(no recipients)').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('the labels of the mailbox are listed with what is unread, and offered, in a browser that has seen none', async () => {
    const archive = await folderId(app, 'archive');
    const ids = [];
    for (const query of ['label=money', 'label=money', 'label=money&flag=read', 'label=travel&flag=read'])
      ids.push(await append(app, { subject: `Labelled ${ids.length}`, folder: archive, query }));
    const plain = await append(app, { subject: 'Without a label', query: 'flag=read' });
    const { page, context, problems } = await signedIn(browser, app);
    await listOf(page);
    const labels = page.getByRole('navigation', { name: 'Labels' });
    const listed = () => labels.getByRole('link').allInnerTexts();
    const link = labels.getByRole('link', { name: /^money ?, 2 unread$/ });
    await link.waitFor();
    assert.equal(await link.getAttribute('title'), 'money: 3 messages');
    await rowOf(page, 'Without a label').click();
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Label' }).pressSequentially('trav');
    await page.getByRole('option', { name: 'travel', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(async () => (await messageOf(app, plain)).labels.includes('travel'), 'it is labelled');
    // One message is read by somebody else: the count follows.
    await app.post('/v1/messages/batch', { message_ids: [ids[0]], add_flags: ['read'] });
    await labels.getByRole('link', { name: /^money ?, 1 unread$/ }).waitFor();
    // The last one that has a label takes it along.
    for (const name of ['Labelled 3', 'Without a label']) {
      await labels.getByRole('link', { name: 'travel' }).click();
      await rowOf(page, name).click();
      await page.getByRole('button', { name: 'Take the label travel away' }).click();
    }
    await labels.getByRole('link', { name: 'travel' }).waitFor({ state: 'detached' });
    assert.equal((await listed()).length, 1);
    assert.deepEqual(problems, []);
    await context.close();
  });
});
