import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { type Door, IS_FIREFOX, signedIn } from './browser.ts';

/** How a person works: with the keyboard alone, with a finger on a telephone, or with a mouse. */
export const WAYS = ['the keyboard', 'touch', 'the mouse'] as const;
export type Way = (typeof WAYS)[number];

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
/** More than a page has places for the focus, or a list of these tests has rows. */
const MOST_STEPS = 150;

/**
 * Works in a window of its own, of the size that goes with a way to work, without what a first visit shows; then all must be
 * saved, nothing wider than the window, and nothing have gone wrong.
 */
export async function inWindow(
  way: Way,
  browser: Browser,
  app: Door,
  options: { path: string; userId?: string },
  flow: (hand: Hand, page: Page) => Promise<void>,
): Promise<void> {
  const { page, context, problems } = await signedIn(browser, app, {
    ...options,
    ...(way === 'touch' && PHONE),
  });
  const hand = new Hand(page, way);
  // A telephone has no keys to be told of.
  if (options.path.startsWith('/mail/') && way !== 'touch')
    await hand.press(page.getByRole('button', { name: 'Got it' }));
  await flow(hand, page);
  await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
  const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  const [content, window] = widths as [number, number];
  assert.ok(content <= window, `the page is ${content} pixels wide in a window of ${window}`);
  assert.deepEqual(problems, []);
  await context.close();
}

/**
 * Does on a page what a person does, in one way only. The keyboard goes by Tab and arrows to what it acts on: what no key
 * reaches fails.
 */
export class Hand {
  readonly page: Page;
  readonly way: Way;

  constructor(page: Page, way: Way) {
    this.page = page;
    this.way = way;
  }

  /** Presses a button, a link or a switch. */
  async press(target: Locator): Promise<void> {
    if (this.way !== 'the keyboard') return this.#point(target);
    await this.#tabTo(target);
    await this.page.keyboard.press('Enter');
  }

  /** Opens a row of a list. */
  async open(row: Locator): Promise<void> {
    if (this.way !== 'the keyboard') return this.#point(row);
    await row.waitFor();
    await this.#tabTo(this.page.getByRole('grid').filter({ has: row }));
    await this.page.keyboard.press('Home');
    await this.#step('ArrowDown', async () => (await row.getAttribute('data-current')) !== null, row);
    await this.page.keyboard.press('Enter');
  }

  /** Chooses what an open menu, or a field with suggestions, offers. */
  async choose(option: Locator): Promise<void> {
    if (this.way !== 'the keyboard') return this.#point(option);
    await option.waitFor();
    await this.#step('ArrowDown', () => option.evaluate(isActive), option);
    await this.page.keyboard.press('Enter');
  }

  /** Types into a field, after what is in it. */
  async write(field: Locator, text: string): Promise<void> {
    if (this.way === 'the keyboard') await this.#tabTo(field);
    else await this.#point(field);
    await this.page.keyboard.type(text);
  }

  /** Sends the field in which one types, by the key that every keyboard has, also that on a screen. */
  enter(): Promise<void> {
    return this.page.keyboard.press('Enter');
  }

  /** Takes back what was done last. */
  async undo(): Promise<void> {
    const button = this.page.getByRole('button', { name: 'Undo' }).last();
    await button.waitFor();
    if (this.way === 'the keyboard') await this.page.keyboard.press('z');
    else await this.#point(button);
  }

  /** Closes the dialog that is open. */
  async close(): Promise<void> {
    const dialog = this.page.getByRole('dialog');
    if (this.way === 'the keyboard') await this.page.keyboard.press('Escape');
    else await this.#point(dialog.getByRole('button', { name: 'Close' }));
    await dialog.waitFor({ state: 'detached' });
  }

  async #point(target: Locator): Promise<void> {
    await (this.way === 'touch' ? target.tap() : target.click());
  }

  async #tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    // Behind the last place of the page Tab goes to the window of Firefox, from which its driver never comes back.
    const isBehind = IS_FIREFOX && (await target.evaluate(isBeforeFocus));
    await this.#step(isBehind ? 'Shift+Tab' : 'Tab', () => target.evaluate(isActive), target);
  }

  async #step(key: string, isThere: () => Promise<boolean>, target: Locator): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (await isThere()) return;
      await this.page.keyboard.press(key);
    }
    assert.fail(`${key} does not reach ${target}`);
  }
}

/** Runs in the page: whether an element has the focus, or is what the field with the focus points at. */
function isActive(element: unknown): boolean {
  const { document } = globalThis as unknown as {
    document: { activeElement: { getAttribute(name: string): string | null } | null };
  };
  const { activeElement } = document;
  return (
    activeElement === element ||
    activeElement?.getAttribute('aria-activedescendant') === (element as { id: string }).id
  );
}

/** Runs in the page: whether an element comes before the one that has the focus. */
function isBeforeFocus(element: unknown): boolean {
  const { document } = globalThis as unknown as {
    document: { activeElement: { compareDocumentPosition(other: unknown): number }; body: unknown };
  };
  const PRECEDING = 2;
  const { activeElement, body } = document;
  return activeElement !== body && (activeElement.compareDocumentPosition(element) & PRECEDING) !== 0;
}
