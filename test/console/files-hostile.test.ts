import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, signedIn, startBrowser } from './browser.ts';
import { gridOf, makeFile, makeFolder, rowOf } from './files-world.ts';

const NAMES = ['<img src=x onerror=alert(1)>', '\u202Egpj.exe', 'ملف', 'x'.repeat(255), '{{alert(1)}}'];

describe('the files page with hostile names and contents, and on a phone', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('shows names as text everywhere, and turns none around', async () => {
    const folder = await makeFolder(app, NAMES[0] ?? '');
    for (const name of NAMES) await makeFile(app, name, '<script>alert(1)</script>', folder.id);
    const { page, problems } = await signedIn(browser, app, {
      path: `/files/folder/${folder.id}`,
      colorScheme: 'dark',
    });
    await page.getByRole('heading', { name: NAMES[0] ?? '' }).waitFor();
    await rowOf(page, '\uFFFDgpj.exe').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await assertAccessible(page);
    await rowOf(page, '\uFFFDgpj.exe').click();
    await page.getByRole('heading', { name: '\uFFFDgpj.exe' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText('Who can see this').first().waitFor();
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  it('opens, selects and goes back by touch at 390 pixels', async () => {
    const folder = await makeFolder(app, 'Phone');
    await makeFile(app, 'touched.txt', 'by a finger', folder.id);
    const { page, problems } = await signedIn(browser, app, {
      path: `/files/folder/${folder.id}`,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await rowOf(page, 'touched.txt').tap();
    await page.getByText('by a finger').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Back' }).tap();
    await rowOf(page, 'touched.txt').locator('label').tap();
    await page.getByRole('button', { name: 'Move to the trash' }).tap();
    await page.getByText('Nothing here yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await rowOf(page, 'touched.txt').waitFor();
    const width = await gridOf(page).evaluate(
      (grid) => (grid as unknown as { scrollWidth: number }).scrollWidth,
    );
    assert.ok(width <= 390, `the list is ${width} pixels wide`);
    assert.deepEqual(problems, []);
  });
});
