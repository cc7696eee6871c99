/** PDFs that are made to be too much: a preview draws what is seen, within what a browser can hold. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';
import { makeFile } from './files-world.ts';

/** A PDF of empty pages; each has a size in points, and all objects are listed in its table. */
function pdfOf(sizes: readonly (readonly [number, number])[]): string {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>'];
  const kids = sizes.map((_, index) => `${index + 3} 0 R`).join(' ');
  objects.push(`<< /Type /Pages /Count ${sizes.length} /Kids [${kids}] >>`);
  for (const [width, height] of sizes)
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] >>`);
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

interface Drawn {
  pages: number;
  canvases: { width: number; height: number }[];
  heights: number[];
}

async function drawnOn(page: Page): Promise<Drawn> {
  return page.evaluate(`({
    pages: document.querySelectorAll('[data-page]').length,
    canvases: [...document.querySelectorAll('canvas')].map(({ width, height }) => ({ width, height })),
    heights: [...document.querySelectorAll('[data-page]')].map((one) => one.getBoundingClientRect().height),
  })`);
}

describe('previews of PDFs that are too much', () => {
  let app: TestApp;
  let browser: Browser;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
  });
  after(async () => {
    await browser.close();
    await app.stop();
  });

  const open = async (name: string, content: string) => {
    const file = await makeFile(app, name, content);
    const window = await signedIn(browser, app, { path: `/files/file/${file.id}` });
    await window.page.getByRole('document', { name }).waitFor();
    await window.page.locator('canvas').first().waitFor();
    return window;
  };

  it('of 100,000 pages the first are shown, drawn where they are seen, and that is said', async () => {
    const sizes = Array.from({ length: 100_000 }, () => [595, 842] as const);
    const { page, problems } = await open('many.pdf', pdfOf(sizes));
    await page.getByText('Only the first 2,000 of 100,000 pages are shown.').waitFor();
    for (const end of ['End', 'Home', 'End']) {
      await page.getByRole('document', { name: 'many.pdf' }).press(end);
      await page.waitForTimeout(400);
    }
    await page.getByRole('img', { name: 'Page 2000' }).waitFor();
    const { pages, canvases } = await drawnOn(page);
    assert.equal(pages, 2000);
    assert.ok(canvases.length > 0 && canvases.length < 12, `${canvases.length} pages are drawn`);
    // The page answers to keys meanwhile.
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/files\/?$/);
    assert.deepEqual(problems, []);
  });

  it('pages of 200 inches, and of a hair, are drawn within what a canvas holds', async () => {
    const sizes = [
      [14_400, 14_400],
      [3, 14_400],
      [14_400, 3],
      [595, 842],
    ] as const;
    const { page, problems } = await open('large.pdf', pdfOf(sizes));
    for (const number of [1, 2, 3, 4]) {
      await page.locator(`[data-page="${number}"]`).scrollIntoViewIfNeeded();
      await page.getByRole('img', { name: `Page ${number}` }).waitFor();
      const { canvases, heights } = await drawnOn(page);
      for (const { width, height } of canvases) {
        assert.ok(width >= 1 && height >= 1 && width <= 8192 && height <= 8192, `${width} by ${height}`);
        assert.ok(width * height <= 16_000_000, `${width} by ${height}`);
      }
      for (const height of heights) assert.ok(height <= 20_000, `a page is ${height} pixels high`);
    }
    assert.deepEqual(problems, []);
  });
});
