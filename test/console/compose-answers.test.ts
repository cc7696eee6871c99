import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Etxt.exe';

describe('answers, attachments, and several windows of one draft', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let messageId: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    const message = [
      `From: "${HOSTILE}" <ada@example.org>`,
      'To: owner@localhost, Grace <grace@example.org>',
      'Cc: Alan <alan@example.org>',
      `Subject: ${HOSTILE}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `First line ${HOSTILE}`,
      '> older',
      '--b',
      'Content-Type: text/plain',
      'Content-Disposition: attachment; filename="<b>report.txt"',
      '',
      'attached',
      '--b--',
      '',
    ].join('\r\n');
    const { json } = await app.post('/v1/folders/inbox/messages', message, {
      headers: { 'content-type': 'message/rfc822' },
    });
    messageId = json.data.id;
    window = await signedIn(browser, app, {
      path: `/mail/compose/new?mode=reply-all&message=${messageId}`,
    });
    page = window.page;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const text = (of = page) => of.getByRole('textbox', { name: 'Message' });
  const saved = (of = page) => of.getByRole('status').filter({ hasText: /^Saved$/ });
  const draftId = () => page.url().match(/drf_\w+/)?.[0] ?? '';
  const draft = async () => (await app.get(`/v1/drafts/${draftId()}`)).json.data;

  it('answers all but oneself, with the original quoted below, and runs nothing of it', async () => {
    await text().waitFor();
    await page.keyboard.type('My answer.');
    await eventually(
      async () => draftId() !== '' && (await draft()).content.text.startsWith('My answer.'),
      'the draft has the answer',
    );
    const { content } = await draft();
    assert.deepEqual(content.cc, ['Alan <alan@example.org>']);
    assert.equal(content.to.length, 2);
    assert.match(content.to[0], /<ada@example\.org>$/);
    assert.equal(content.to[1], 'Grace <grace@example.org>');
    assert.ok(content.subject.startsWith('Re: <img src=x'));
    assert.match(content.text, /^My answer\.\n\nOn .+ wrote:\n> First line <img src=x/);
    assert.match(content.text, /\n>> older$/);
    assert.equal(content.reply_to_message_id, messageId);
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertAccessible(page);
    assert.deepEqual(window.problems, []);
  });

  it('forwards the attachments, and attaches files from here and from Files', async () => {
    await app.post('/v1/files?filename=plan.txt', 'a plan', { headers: { 'content-type': 'text/plain' } });
    await page.goto(`${app.address}/mail/compose/new?mode=forward&message=${messageId}`);
    const attached = page.getByRole('list', { name: 'Attachments' });
    await attached.getByText('report').waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'here.txt', mimeType: 'text/plain', buffer: Buffer.from('from here') });
    await attached.getByText('here.txt').waitFor();
    await page.getByRole('button', { name: 'Attach from Files' }).click();
    await page.getByLabel('Search by name').fill('plan');
    await page.getByRole('row').filter({ hasText: 'plan.txt' }).click();
    await page.getByRole('button', { name: 'Attach (1)' }).click();
    await attached.getByText('plan.txt').waitFor();
    await eventually(
      async () => draftId() !== '' && (await draft()).message.attachments.length === 3,
      'the draft has all three',
    );
    await saved().waitFor();
    const names = (await draft()).message.attachments.map(({ filename }: { filename: string }) => filename);
    assert.deepEqual(names.slice(1), ['here.txt', 'plan.txt']);
    assert.deepEqual(window.problems, []);
  });

  it('merges what two windows write in different lines, and asks about the same line', async () => {
    await page.goto(`${app.address}/mail/compose/new?subject=Two`);
    await text().fill('first\n\nmiddle\n\nlast');
    await saved().waitFor();
    const other = await window.context.newPage();
    await other.goto(page.url());
    await text(other).waitFor();
    await text().fill('FIRST\n\nmiddle\n\nlast');
    await text(other).fill('first\n\nmiddle\n\nLAST');
    const both = 'FIRST\n\nmiddle\n\nLAST';
    await eventually(async () => (await text().inputValue()) === both, 'the first window has both');
    await eventually(async () => (await text(other).inputValue()) === both, 'the second window has both');
    await saved().waitFor();
    await saved(other).waitFor();
    assert.equal((await draft()).content.text, both);
    await text().fill('mine');
    await text(other).fill('theirs');
    const asks = (of: Page) => of.getByRole('button', { name: 'Keep both' });
    await Promise.race([asks(page).waitFor(), asks(other).waitFor()]);
    const asked = (await asks(page).count()) > 0 ? page : other;
    await assertAccessible(asked);
    await asks(asked).click();
    await eventually(
      async () => /mine\n\ntheirs|theirs\n\nmine/.test((await draft()).content.text),
      'both are saved',
    );
    await saved(asked).waitFor();
    await other.close();
  });
});
