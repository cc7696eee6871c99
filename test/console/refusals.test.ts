/** What the server refuses is told in the language of the page, with what to do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { ERRORS } from '../../src/contract/errors.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { openWindow, signedIn, startBrowser } from './browser.ts';
import { append } from './mail-world.ts';

/** What only programs meet: the page asks for none of it, or goes on by itself. */
const OF_PROGRAMS =
  /^(?:invalid_json|malformed_request|filter_required|invalid_cursor|.*idempotency_key.*|unsupported_operator|values_exceed_range|invalid_part_.*|method_not_allowed|upload_finished|parts_missing|resource_busy|last_owner|email_taken|webhook_stopped|length_required|range_not_satisfiable|expectation_failed|calculation_stopped|precondition_required|headers_too_large)$/;

describe('refusals on the pages', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('every code of an error has a text of the page, or is one that only programs meet', () => {
    const source = readFileSync(
      join(resolve(import.meta.dirname, '../..'), 'console/src/app/refusals.ts'),
      'utf8',
    );
    const without = Object.keys(ERRORS).filter((code) => !source.includes(`\n    ${code}: `));
    assert.deepEqual(
      without.filter((code) => !OF_PROGRAMS.test(code)),
      [],
    );
  });

  for (const [locale, words] of Object.entries({
    'en-GB': {
      pages: 'Pages',
      newFolder: 'New folder',
      create: 'Create',
      name: 'Name',
      exists: 'There is a folder of this name already. Choose another name.',
      code: 'Code or key',
      used: 'The code is unknown, was used, or is older than ten minutes. Ask for another one.',
      send: 'Send',
      to: 'To',
      relay: 'This server sends no mail to others, so far@example.net cannot be reached. Nothing was sent.',
    },
    'de-DE': {
      pages: 'Seiten',
      newFolder: 'Neuer Ordner',
      create: 'Anlegen',
      name: 'Name',
      exists: 'Einen Ordner mit diesem Namen gibt es schon. Wähl einen anderen Namen.',
      code: 'Code oder Schlüssel',
      used: 'Der Code ist unbekannt, schon benutzt oder älter als zehn Minuten. Lass dir einen neuen geben.',
      send: 'Senden',
      to: 'An',
      relay:
        'Dieser Server sendet nichts nach außen, also ist far@example.net nicht erreichbar. Es wurde nichts gesendet.',
    },
  })) {
    it(`a refusal is told in the language of the page (${locale})`, async () => {
      const taken = `Taken ${locale}`;
      await append(app);
      await app.post('/v1/folders', { name: taken });
      const { page, context } = await signedIn(browser, app, {
        locale,
        pagesName: words.pages,
        path: '/mail/inbox',
      });
      await page.getByRole('grid').waitFor();
      await page.getByRole('button', { name: words.newFolder }).click();
      const dialog = page.getByRole('dialog', { name: words.newFolder });
      await dialog.getByRole('textbox', { name: words.name }).fill(taken);
      await page.keyboard.press('Enter');
      await page.getByText(words.exists).first().waitFor();

      await page.goto(`${app.address}/mail/compose/new?to=far@example.net&subject=Far`);
      await page.getByRole('button', { name: words.send, exact: true }).click();
      await page.getByText(words.relay).first().waitFor({ timeout: 40_000 });
      await context.close();

      const stranger = await openWindow(browser, { locale });
      await stranger.page.goto(`${app.address}/#sign-in=of-nobody`);
      await stranger.page.getByText(words.used).waitFor();
      await stranger.page.getByLabel(words.code).waitFor();
      await stranger.context.close();
    });
  }
});
