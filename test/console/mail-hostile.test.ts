import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { hostileMessages } from '../hostile/messages.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { append, appendRaw, listOf } from './mail-world.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/mail');
const FIXTURES = join(import.meta.dirname, '../fixtures/mail');
/** So many of them; their parsing is tested elsewhere. */
const CHOSEN = 20;

const IMAGE = '<img src=x onerror=alert(1)>';
const RUNS = `<script>alert(1)</script>${IMAGE}<svg onload=alert(1)><a href="javascript:alert(1)">link</a>
<iframe src="javascript:alert(1)"></iframe><form action="https://evil.example"><button>go</button></form>
<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="https://evil.example">
<style>@import "https://evil.example/x.css"; body { background: url(https://evil.example/y) }</style>
<object data="https://evil.example"></object><link rel="stylesheet" href="https://evil.example/z.css">
<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`;

describe('hostile mail in the console', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  /** Opens all messages of a folder one after the other; answers what went wrong. */
  async function readAll(folder: string, count: number): Promise<string[]> {
    const { page, context, problems } = await signedIn(browser, app, { path: `/mail/${folder}` });
    page.on('dialog', (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(app.address) && !/^(?:data|blob):/.test(request.url()))
        problems.push(`asked for ${request.url()}`);
    });
    const list = await listOf(page);
    await list.focus();
    await list.press('Enter');
    for (let i = 0; i < count; i++) {
      await page.locator('article header').first().waitFor();
      await page.locator('[data-letter="shown"]').first().waitFor();
      if (i === 0) await assertAccessible(page);
      await page.keyboard.press('j');
    }
    assert.equal(new URL(page.url()).pathname.startsWith(`/mail/${folder}/`), true);
    await context.close();
    return problems;
  }

  it('names, subjects, labels, files and HTML that would run are shown as texts', async () => {
    const folder = (await app.post('/v1/folders', { name: `${IMAGE}\u202Egnp.exe` })).json.data.id;
    const label = encodeURIComponent(`${IMAGE}${'x'.repeat(200)}`);
    const names = [IMAGE, '\u202Emoc.elpmaxe', '', 'x'.repeat(255), 'javascript:alert(1)'];
    for (const name of names) {
      const encoded = name === '' ? '' : `=?utf-8?b?${Buffer.from(name).toString('base64')}?=`;
      const file = `multipart/mixed; boundary=b`;
      await append(app, {
        folder,
        subject: encoded,
        from: `${encoded} <a@example.org>`,
        query: `label=${label}`,
        headers: `Content-Type: ${file}\r\n`,
        body: [
          '--b',
          'Content-Type: text/html',
          '',
          RUNS,
          '--b',
          `Content-Type: text/html; name="${encoded || 'x'}"`,
          `Content-Disposition: attachment; filename="${encoded || 'x'}"`,
          '',
          RUNS,
          '--b--',
          '',
        ].join('\r\n'),
      });
    }
    assert.deepEqual(await readAll(folder, names.length), []);
  });

  it('messages that were made to break programs are shown', async () => {
    const folder = (await app.post('/v1/folders', { name: 'Made to break' })).json.data.id;
    const messages = Object.values(hostileMessages).filter((_, index) => index % 4 === 0);
    for (const message of messages) await appendRaw(app, Buffer.from(message, 'latin1'), { folder });
    assert.deepEqual(await readAll(folder, messages.length), []);
  });

  it('messages of the corpus are shown', async () => {
    const folder = (await app.post('/v1/folders', { name: 'Corpus' })).json.data.id;
    const files = [FIXTURES, CORPUS].flatMap((directory) =>
      existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [],
    );
    const messages = files.filter((name) => name.endsWith('.eml'));
    const every = Math.ceil(messages.length / CHOSEN);
    const chosen = messages.filter((_, index) => index % every === 0);
    assert.ok(chosen.length > 5);
    for (const name of chosen) await appendRaw(app, readFileSync(name), { folder });
    assert.deepEqual(await readAll(folder, chosen.length), []);
  });
});
