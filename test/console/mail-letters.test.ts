import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, IS_FIREFOX, signedIn, startBrowser, type Window } from './browser.ts';
import { append, appendRaw, changesSince, listOf, rowOf } from './mail-world.ts';

const LETTER = [
  'From: "Anna, of <b>Sales</b>" <anna@example.org>',
  'To: owner@localhost, Bert <bert@example.org>, Cleo <cleo@example.org>',
  'Cc: Dora <dora@example.org>',
  'Subject: a letter',
  'Message-Id: <letter@example.org>',
  'Date: Tue, 24 Nov 2026 10:00:00 +0000',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>Dear <b>reader</b></p><img src="https://pictures.example/spy.png"><script>alert(1)</script>',
  '--b',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename="notes.txt"',
  '',
  'what the notes say',
  '--b--',
  '',
].join('\r\n');

describe('letters in the console', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    await appendRaw(app, Buffer.from(LETTER), { query: 'flag=read' });
    window = await signedIn(browser, app);
    ({ page } = window);
    await listOf(page);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('HTML is shown in a frame in which nothing runs; images of others only when asked', async () => {
    const asked: string[] = [];
    await page.context().route('https://pictures.example/**', (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    await rowOf(page, 'a letter').click();
    const frame = page.locator('iframe');
    assert.equal(await frame.getAttribute('sandbox'), 'allow-popups allow-popups-to-escape-sandbox');
    await page.frameLocator('iframe').getByText('reader').waitFor();
    await assertAccessible(page);
    assert.deepEqual(asked, []);
    await page.getByRole('button', { name: 'Show images' }).click();
    await eventually(() => asked.length > 0, 'the image is asked for');
    await page.getByRole('button', { name: /^More: Anna/ }).click();
    await page.getByRole('menuitem', { name: 'Show as plain text' }).click();
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('Dear reader').waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
    assert.deepEqual(window.problems, []);
  });

  it('details name all people, the source is shown, an attachment is looked at and kept once', async () => {
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'a letter').click();
    await page.getByRole('button', { name: 'Details' }).click();
    for (const person of ['bert@example.org', 'cleo@example.org', 'dora@example.org'])
      await page.getByRole('link', { name: person }).waitFor();
    await page.getByText('No filter acted on it.').waitFor();
    await page.getByRole('button', { name: /^More: Anna/ }).click();
    await page.getByRole('menuitem', { name: 'Show the source' }).click();
    await page.getByRole('dialog').getByText('Message-Id: <letter@example.org>').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Preview: notes.txt' }).click();
    await page.getByText('what the notes say').waitFor();
    await page.keyboard.press('Escape');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download: notes.txt' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'notes.txt');
    const folder = (await app.post('/v1/file-folders', { name: 'Kept' })).json.data.id;
    const { cursor } = await changesSince(app);
    await page.getByRole('button', { name: 'Keep in Files: notes.txt' }).click();
    await page.getByRole('option', { name: 'Kept' }).waitFor();
    await page.getByRole('combobox').fill('kep');
    await page.keyboard.press('Enter');
    await page.getByText('Kept notes.txt in Files').waitFor();
    const { json } = await app.get(`/v1/files?folder_id=${folder}`);
    assert.deepEqual(
      json.data.map(({ title }: { title: string }) => title),
      ['notes.txt'],
    );
    const { changes } = await changesSince(app, cursor);
    assert.equal(changes.filter(({ type }) => type === 'file.created').length, 1);
    assert.deepEqual(window.problems, []);
  });

  it('a conversation over folders is shown whole, older messages collapsed', async () => {
    for (let i = 1; i <= 7; i++)
      await append(app, {
        subject: 'Re: a letter',
        from: `Person ${i} <p${i}@example.org>`,
        folder: i % 2 ? 'archive' : 'sent',
        headers: `In-Reply-To: <letter@example.org>\r\nDate: Tue, 24 Nov 2026 1${i}:00:00 +0000\r\n`,
        body: `Answer number ${i}.\r\n`,
        query: 'flag=read',
      });
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'a letter').click();
    await page.getByRole('button', { name: /Person 1/ }).waitFor();
    await page.getByRole('button', { name: 'Show 5 messages between' }).click();
    await page.getByRole('button', { name: /Person 4.*in Sent/ }).click();
    await page.getByText('Answer number 4.').waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('why a message is here is told by the filters that acted', async () => {
    await app.post('/v1/mail/filters', {
      name: 'Keeps <i>reports</i>',
      priority: 1,
      rule: {
        conditions: [{ field: 'subject', op: 'contains', value: 'filtered' }],
        actions: [{ type: 'add_label', label: 'reports' }],
      },
    });
    await app.post('/v1/messages', { to: ['owner@localhost'], subject: 'filtered mail', text: 'x' });
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'filtered mail').click();
    await page.getByText('added the label reports').waitFor();
    await page.getByRole('link', { name: 'Filter “Keeps <i>reports</i>”' }).waitFor();
    assert.deepEqual(window.problems, []);
  });

  it('an invitation is answered in its message, once', async () => {
    const { json } = await app.post('/v1/users', { email: 'host@localhost', name: 'Host' });
    const key = (
      await app.post('/v1/api-keys', {
        name: 'host',
        user_id: json.data.id,
        permissions: ['calendar.events.write', 'calendar.events.read', 'mail.messages.read'],
      })
    ).json.data.key;
    const calendars = await app.get('/v1/calendars', { key });
    const event = await app.post(
      `/v1/calendars/${calendars.json.data[0].id}/events`,
      {
        starts_at: '2027-03-01T09:00:00Z',
        ends_at: '2027-03-01T10:00:00Z',
        attendees: ['owner@localhost'],
        notify: 'all',
      },
      { key },
    );
    assert.equal(event.status, 201, event.text);
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'Host').click();
    const card = page.getByRole('region', { name: 'Invitation' });
    await card.getByText('Not answered yet').waitFor();
    await card.getByText('never what').waitFor();
    await assertAccessible(page);
    const { cursor } = await changesSince(app);
    await card.getByRole('button', { name: 'Accept' }).press('Enter');
    await card.getByText('Accepted', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    const invitations = await app.get('/v1/invitations?start=2027-03-01T00:00:00Z&end=2027-03-02T00:00:00Z');
    assert.equal(invitations.json.data[0].response, 'accepted');
    const { changes } = await changesSince(app, cursor);
    assert.equal(changes.filter(({ type }) => type === 'event.responded').length, 1);
    assert.deepEqual(window.problems, []);
  });

  it('keys act on the page after a press on a letter; Enter goes into it, Tab goes on from it', async () => {
    await appendRaw(
      app,
      Buffer.from(
        LETTER.replace('a letter', 'with links')
          .replace('<letter@', '<links@')
          .replace('<p>Dear', '<p><a href="https://example.org/">a link</a> Dear'),
      ),
      { query: 'flag=read' },
    );
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'with links').click();
    const body = page.frameLocator('iframe').locator('body');
    const isInFrame = async () => (await page.evaluate('document.activeElement.tagName')) === 'IFRAME';
    await body.getByText('reader').click();
    await eventually(async () => !(await isInFrame()), 'the focus leaves the frame');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'The message as sent' }).focus();
    await page.keyboard.press('Enter');
    await eventually(isInFrame, 'the frame has the focus');
    await page.keyboard.press('Tab');
    assert.equal(await isInFrame(), true, 'on the link');
    await page.keyboard.press('Tab');
    await eventually(async () => !(await isInFrame()), 'Tab leaves the frame');
    await body.getByText('reader').click();
    await eventually(async () => !(await isInFrame()), 'the focus leaves the frame again');
    await page.keyboard.press('Escape');
    await page.waitForURL(`${app.address}/mail/inbox`);
    assert.deepEqual(window.problems, []);
  });

  const skip = IS_FIREFOX && 'its driver presses on nothing in a frame';
  it('what is selected in a letter can be copied', { skip }, async () => {
    await page.goto(`${app.address}/mail/inbox`);
    await rowOf(page, 'with links').click();
    const word = page.frameLocator('iframe').locator('b');
    await word.dblclick();
    await page.keyboard.press('Control+c');
    await eventually(
      async () => (await page.evaluate('document.activeElement.tagName')) !== 'IFRAME',
      'the page has the keyboard again',
    );
    await page.keyboard.press('/');
    await page.keyboard.press('Control+v');
    assert.equal((await page.getByRole('searchbox').first().inputValue()).trim(), 'reader');
  });
});
