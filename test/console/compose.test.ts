import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser, type Window } from './browser.ts';
import { loseAnswer } from './interrupting.ts';

/** How long a message can be taken back. */
const HELD_MS = 10_000;

/** Pastes a text into the field with the focus. */
function paste(page: Page, text: string): Promise<unknown> {
  return page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    // Firefox gives an event that a script makes none.
    Object.defineProperty(event, 'clipboardData', { value: clipboardData });
    document.activeElement.dispatchEvent(event);
  }`);
}

describe('composing', () => {
  let app: TestApp;
  let browser: Browser;
  let window: Window;
  let page: Page;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    for (const name of ['Ada', 'Grace'])
      await app.post('/v1/users', { name, email: `${name.toLowerCase()}@localhost` });
    window = await signedIn(browser, app, { path: '/mail/compose/new' });
    page = window.page;
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const list = async (role: string) =>
    (await app.get(`/v1/messages?folder_id=${role}&limit=200`)).json.data as {
      id: string;
      subject: string;
    }[];
  const count = async (role: string, subject: string) =>
    (await list(role)).filter((message) => message.subject === subject).length;
  const status = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
  const begin = async (query = '') => {
    await page.goto(`${app.address}/mail/compose/new${query}`);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  };
  const draftId = () => page.url().match(/drf_\w+/)?.[0] ?? '';
  const text = () => page.getByRole('textbox', { name: 'Message' });
  const subject = () => page.getByRole('textbox', { name: 'Subject' });
  /** Writes a whole message by keys alone. */
  const write = async (to: string, title: string, words: string) => {
    await page.getByRole('combobox', { name: 'To' }).focus();
    await page.keyboard.type(to);
    await page.keyboard.press('Enter');
    await subject().focus();
    await page.keyboard.type(title);
    await page.keyboard.press('Tab');
    await page.keyboard.type(words);
  };

  it('completes colleagues, takes a pasted list, and moves among the chips by keys', async () => {
    await begin();
    const to = page.getByRole('combobox', { name: 'To' });
    await to.pressSequentially('gra');
    await page.getByRole('option', { name: /Grace/ }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await paste(page, '"Lovelace, Ada" <ada@localhost>, c@d.example; nonsense');
    const field = page.getByRole('group', { name: 'Recipients: To' });
    const chips = () => field.locator('[data-chip]').allTextContents();
    assert.deepEqual(await chips(), ['Grace', 'Lovelace, Ada', 'c@d.example']);
    assert.equal(await to.inputValue(), 'nonsense');
    await to.fill('');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Delete');
    assert.deepEqual(await chips(), ['Grace', 'c@d.example']);
    await status(/^Saved$/).waitFor();
    const { json } = await app.get(`/v1/drafts/${draftId()}`);
    assert.deepEqual(json.data.content.to, ['Grace <grace@localhost>', 'c@d.example']);
    await app.delete(`/v1/drafts/${draftId()}`);
  });

  it('saves at a pause, and sends by keys alone exactly once, though the answer is lost', async () => {
    await begin();
    await write('grace@localhost', 'Lost answer', 'First light.');
    await status('Not saved yet').waitFor();
    await status(/^Saved$/).waitFor();
    const id = draftId();
    assert.equal((await app.get(`/v1/drafts/${id}`)).json.data.content.text, 'First light.');
    await page.clock.install();
    let attempts = 0;
    await page.route('**/v1/drafts/*/send', async (route: Route) => {
      // The server does it; the page does not learn of it.
      if (attempts++ === 0) await loseAnswer(route);
      else await route.continue();
    });
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sending in ten seconds').waitFor();
    assert.equal(await count('sent', 'Lost answer'), 0);
    await page.clock.runFor(HELD_MS + 100);
    await eventually(async () => {
      await page.clock.runFor(2000);
      return attempts >= 2;
    }, 'the send is repeated');
    await page.getByText('Message sent').waitFor();
    assert.equal(await count('sent', 'Lost answer'), 1);
    assert.equal(await count('drafts', 'Lost answer'), 0);
    await page.unroute('**/v1/drafts/*/send');
    assert.deepEqual(window.problems, []);
  });

  /** Goes on with the text that has come back: it is saved as one draft, and nothing is sent. */
  const goOnWriting = async (title: string) => {
    await page.waitForURL(/compose/);
    await text().press('End');
    await page.keyboard.type(' Later.');
    await page.clock.runFor(3 * HELD_MS);
    await eventually(async () => {
      const [draft] = (await list('drafts')).filter(({ subject }) => subject === title);
      const written = draft && (await app.get(`/v1/drafts/drf_${draft.id.slice(4)}`)).json.data.content.text;
      return written === 'Not this. Later.';
    }, 'what is written is saved');
    assert.deepEqual([await count('drafts', title), await count('sent', title)], [1, 0]);
    assert.deepEqual(window.problems, []);
  };

  it('sends nothing that is taken back within ten seconds, and shows it again', async () => {
    await begin('?to=grace@localhost&subject=Taken%20back');
    await text().fill('Not this.');
    await page.clock.install();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sending in ten seconds').waitFor();
    await page.waitForURL(/inbox/);
    await page.keyboard.press('z');
    await goOnWriting('Taken back');
  });

  it('takes back also while the next page is still being loaded', async () => {
    await begin('?to=grace@localhost&subject=Taken%20back%20early');
    await text().fill('Not this.');
    await page.clock.install();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/*.js', (route) => promise.then(() => route.continue()));
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sending in ten seconds').waitFor();
    // What is pressed now goes into no field of the message.
    await page.keyboard.press('z');
    await text().waitFor();
    resolve();
    await goOnWriting('Taken back early');
    await page.unroute('**/*.js');
  });

  it('sends exactly once when the tab is closed before the ten seconds are over', async () => {
    const closed = await signedIn(browser, app, {
      path: '/mail/compose/new?to=grace@localhost&subject=Closed',
    });
    await closed.page.getByRole('textbox', { name: 'Message' }).fill('Gone.');
    await closed.page.keyboard.press('Control+Enter');
    await closed.page.getByText('Sending in ten seconds').waitFor();
    const next = await closed.context.newPage();
    await closed.page.close({ runBeforeUnload: true });
    // The page sends it when it closes, if the browser gives it the time. The next page finds the write in the outbox, and
    // repeats it under its key.
    await next.goto(`${app.address}/contacts/`);
    await next.getByRole('button', { name: 'Everything is saved' }).waitFor();
    await eventually(async () => (await count('sent', 'Closed')) === 1, 'the message is sent');
    assert.equal(await count('drafts', 'Closed'), 0);
    await closed.context.close();
  });

  it('keeps what is refused as a draft, with the reason of the server', async () => {
    await begin('?to=nobody@localhost&subject=Refused');
    await text().fill('Who?');
    await page.clock.install();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sending in ten seconds').waitFor();
    await page.clock.runFor(HELD_MS + 100);
    await page.getByText(/^Not sent: /).waitFor();
    await page.getByRole('button', { name: 'Open the draft' }).click();
    await page.getByRole('alert').filter({ hasText: 'nobody@localhost' }).waitFor();
    assert.equal(await text().inputValue(), 'Who?');
    await assertAccessible(page);
    assert.equal(await count('drafts', 'Refused'), 1);
    assert.equal(await count('sent', 'Refused'), 0);
  });

  it('loses no text over a reload without a connection, and says truly what is saved', async () => {
    await begin('?subject=Offline');
    await text().fill('Saved before.');
    await status(/^Saved$/).waitFor();
    await window.context.setOffline(true);
    await text().fill('Saved before. Kept since.');
    await status('kept in this browser').waitFor();
    assert.equal(await status(/^Saved$/).count(), 0);
    const { json } = await app.get(`/v1/drafts/${draftId()}`);
    assert.equal(json.data.content.text, 'Saved before.');
    await text().pressSequentially(' More.');
    await page.waitForTimeout(400);
    await page.reload().catch(() => undefined);
    await window.context.setOffline(false);
    // Firefox may still be showing that there is no connection, which ends a reload.
    await eventually(() => page.reload().then(Boolean, () => false), 'the page is loaded again');
    await text().waitFor();
    assert.equal(await text().inputValue(), 'Saved before. Kept since. More.');
    await status(/^Saved$/).waitFor();
    const after = await app.get(`/v1/drafts/${draftId()}`);
    assert.equal(after.json.data.content.text, 'Saved before. Kept since. More.');
    assert.equal(await count('drafts', 'Offline'), 1);
  });

  it('makes one draft though the answer to the first save is lost with the page', async () => {
    await begin('?subject=Made%20once');
    await page.route('**/v1/drafts', async (route: Route) => {
      await loseAnswer(route);
    });
    await text().fill('Once.');
    await eventually(async () => (await count('drafts', 'Made once')) === 1, 'the server has the draft');
    await page.reload();
    await text().waitFor();
    assert.equal(await text().inputValue(), 'Once.');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await status(/^Saved$/).waitFor();
    await page.waitForURL(/compose\/drf_/);
    assert.equal(await count('drafts', 'Made once'), 1);
  });

  it('discards what is written only after asking, and takes it back', async () => {
    await begin();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.waitForURL(/mail\/inbox|contacts|about:blank/);
    // The way back has ended: Firefox breaks off what is opened meanwhile.
    await text().waitFor({ state: 'detached' });
    await begin('?subject=Discarded');
    await text().fill('Words.');
    await status(/^Saved$/).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Draft discarded').waitFor();
    await eventually(async () => (await count('drafts', 'Discarded')) === 0, 'the draft is gone');
    await page.keyboard.press('z');
    await text().waitFor();
    assert.equal(await text().inputValue(), 'Words.');
    assert.equal(await count('drafts', 'Discarded'), 1);
    assert.deepEqual(window.problems, []);
  });
});
