/** Every page, dialog and menu of the console, for people who see, hear, move or point otherwise (WCAG 2.2 AA). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertAccessible, IS_FIREFOX, signedIn, startBrowser } from './browser.ts';
import { fillEveryPlace, goTo, type Place } from './every-place.ts';

/** What can be pressed and is smaller than a side, but for links within a sentence and what a label makes larger (WCAG 2.2, 2.5.8). */
async function tooSmall(page: Page, side: number): Promise<string[]> {
  return page.evaluate(
    `((side) => {
      const found = [];
      const pressable = 'button,a[href],input,select,textarea,summary,[role=menuitem],[role=option],[role=tab]';
      for (const element of document.querySelectorAll(pressable)) {
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (element.closest('.visually-hidden,[aria-hidden=true],[style*="clip"]') || element.tabIndex < 0 && element.type === 'text') continue;
        if (element.matches('p a,li a,dd a,td a') && getComputedStyle(element).display === 'inline') continue;
        const target = element.matches('input[type=checkbox],input[type=radio]') ? element.closest('label') ?? element : element;
        const { width, height, left, top } = target.getBoundingClientRect();
        if (width < 2 || height < 2 || getComputedStyle(target).clipPath !== 'none' || (target === element && element.matches('[type=checkbox],[type=radio]'))) continue;
        if (top < 0 || left < 0 || top > innerHeight || left > innerWidth) continue;
        if (Math.round(width) < side || Math.round(height) < side)
          found.push(Math.round(width) + 'x' + Math.round(height) + ' ' + target.outerHTML.slice(0, 140));
      }
      return found;
    })(${side})`,
  );
}

/** Colours change over a moment. */
const REPAINTED_MS = 250;

describe('the console for everybody', () => {
  let app: TestApp;
  let browser: Browser;
  let places: readonly Place[];
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE, { ATRIUM_WELCOME: 'off' }), startBrowser()]);
    places = await fillEveryPlace(app);
  });
  const isThere = async (page: Page, place: Place, found: string[]) =>
    goTo(page, app.address, place).then(
      () => true,
      ({ message }) => void found.push(`${place.name}: ${message}`),
    );
  after(async () => {
    await browser.close();
    await app.stop();
  });

  it('each page and dialog keeps the rules in both themes, and targets are 24 pixels', async () => {
    const { page, problems } = await signedIn(browser, app, { reducedMotion: 'reduce' });
    const found: string[] = [];
    for (const place of places) {
      if (!(await isThere(page, place, found))) continue;
      for (const what of await tooSmall(page, 24)) found.push(`${place.name}: ${what}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(REPAINTED_MS);
        await assertAccessible(page).catch(({ message }) =>
          found.push(`${place.name}, ${colorScheme}: ${message}`),
        );
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(problems, []);
  });

  it('the menus keep the rules while they are open', async () => {
    const { page } = await signedIn(browser, app, { path: '/mail/inbox', reducedMotion: 'reduce' });
    const menus = async () => page.locator('[aria-haspopup]').filter({ visible: true });
    for (const path of ['/mail/inbox', '/contacts/', '/files/']) {
      await page.goto(`${app.address}${path}`);
      await page.locator('main [role=row]').first().click();
      await page.waitForTimeout(300);
      const count = await (await menus()).count();
      assert.ok(count > 0, path);
      for (let index = 0; index < count; index++) {
        await (await menus()).nth(index).click();
        await page.locator('[role=menu],[role=listbox],[role=dialog]').first().waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(REPAINTED_MS);
          await assertAccessible(page);
        }
        await page.keyboard.press('Escape');
        await page.locator('[role=menu],[role=dialog]').first().waitFor({ state: 'detached' });
      }
    }
  });

  it('on a touch screen targets are 44 pixels', async () => {
    const touched = IS_FIREFOX ? await startBrowser({ hasTouchScreen: true }) : browser;
    const { page, context } = await signedIn(touched, app, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const found: string[] = [];
    for (const place of places) {
      if (!(await isThere(page, place, found))) continue;
      for (const what of await tooSmall(page, 44)) found.push(`${place.name}: ${what}`);
    }
    await (IS_FIREFOX ? touched : context).close();
    assert.deepEqual([...new Set(found)], []);
  });

  it('at 200 % zoom everything is there, in one column', async () => {
    // A window of 1280 by 900 pixels at 200 % has 640 by 450 for the page.
    const { page } = await signedIn(browser, app, {
      viewport: { width: 640, height: 450 },
      deviceScaleFactor: 2,
    });
    const found: string[] = [];
    for (const place of places) {
      if (!(await isThere(page, place, found))) continue;
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      if (wide !== 0) found.push(`${place.name} is ${wide} pixels too wide`);
      const high = await page.evaluate(
        "Math.round(document.querySelector('main').getBoundingClientRect().height)",
      );
      if (Number(high) < 200) found.push(`${place.name} is ${high} pixels high`);
    }
    assert.deepEqual(found, []);
  });

  it('with reduced motion nothing moves longer than a moment', async () => {
    const still = IS_FIREFOX ? await startBrowser({ reducesMotion: true }) : browser;
    try {
      const { page } = await signedIn(still, app, { path: '/mail/inbox', reducedMotion: 'reduce' });
      await page.locator('main [role=row]').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('s');
      const longest = await page.evaluate(
        'Math.max(0, ...document.getAnimations().map((one) => Number(one.effect.getComputedTiming().duration)))',
      );
      assert.ok(Number(longest) < 1, `${longest} ms`);
    } finally {
      if (still !== browser) await still.close();
    }
  });

  it('in forced colours the current row, what is selected and the focus can be told', async () => {
    const { page } = await signedIn(browser, app, { path: '/mail/inbox', forcedColors: 'active' });
    await page.locator('main [role=row]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const styles = (await page.evaluate(`(() => {
      const styleOf = (element) => { const s = getComputedStyle(element); return [s.backgroundColor, s.outlineStyle, s.borderColor, s.boxShadow].join(); };
      const rows = [...document.querySelectorAll('main [role=row]')];
      const links = [...document.querySelectorAll('nav a')];
      return { rows: rows.map(styleOf), pages: links.map(styleOf) };
    })()`)) as { rows: string[]; pages: string[] };
    assert.notEqual(styles.rows[0], styles.rows[1], 'the current row');
    assert.notEqual(styles.pages[0], styles.pages[1], 'the page that is shown');
    await assertAccessible(page);
  });
});
