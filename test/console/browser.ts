import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  firefox,
  type Locator,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import type { TestApp } from '../harness.ts';

/**
 * What Chromium needs to run as root and without a graphics card. The package's own list would also disable the protection of
 * pages from each other, which these tests are about.
 */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

/** Whether the tests run in Firefox. */
export const IS_FIREFOX = process.env.ATRIUM_TEST_BROWSER === 'firefox';

const LOOK_EVERY_MS = 200;
const MOST_LOOKS = 300;

/** What Firefox takes a finger for; Chromium has it by window. */
const COARSE_POINTER = { 'ui.primaryPointerCapabilities': 1, 'ui.allPointerCapabilities': 1 };
/** The same of a person who asks for little motion. */
const REDUCED_MOTION = { 'ui.prefersReducedMotion': 1 };

/**
 * Starts a real browser; close it when done. By default Chromium: that of ATRIUM_TEST_CHROMIUM, else the one that a package
 * brings along. With ATRIUM_TEST_BROWSER=firefox the Firefox of the system, or that of ATRIUM_TEST_FIREFOX;
 * `hasTouchScreen`: as on a device without a mouse; `reducesMotion`: as where the system says so.
 */
export async function startBrowser({ hasTouchScreen = false, reducesMotion = false } = {}): Promise<Browser> {
  const { ATRIUM_TEST_FIREFOX, ATRIUM_TEST_CHROMIUM } = process.env;
  if (IS_FIREFOX) {
    // By WebDriver BiDi, which an unchanged Firefox speaks.
    const executablePath = ATRIUM_TEST_FIREFOX ?? '/usr/bin/firefox-esr';
    return firefox.launch({
      channel: 'moz-firefox',
      executablePath,
      headless: true,
      firefoxUserPrefs: { ...(hasTouchScreen && COARSE_POINTER), ...(reducesMotion && REDUCED_MOTION) },
    });
  }
  const executablePath = ATRIUM_TEST_CHROMIUM ?? (await chromium.executablePath());
  for (let looks = 0; ; looks++) {
    try {
      return await playwright.launch({ executablePath, args: ARGUMENTS, headless: true });
    } catch (error) {
      // Another test file is unpacking the same Chromium.
      if (!String(error).includes('ETXTBSY') || looks === MOST_LOOKS) throw error;
      await pause(LOOK_EVERY_MS);
    }
  }
}

/**
 * By WebDriver BiDi, the driver's fill() sets the value of a field in a way that pages of React do not notice; keys they do. It has
 * no fingers either: what is tapped is clicked. Its mouse begins no dragging: the page gets the events of one.
 */
function useWhatFirefoxHas(page: Page): void {
  const locators = Object.getPrototypeOf(page.locator('body')) as Locator;
  locators.tap = function (this: Locator) {
    return this.click();
  };
  locators.dragTo = async function (this: Locator, target: Locator) {
    await this.evaluate(dragOnto, await target.elementHandle());
  };
  locators.fill = async function (this: Locator, text: string) {
    await this.selectText();
    await this.press('Delete');
    await this.pressSequentially(text);
  };
}

/** Runs in the page. As in a browser, what does not take what is dragged gets no drop. */
function dragOnto(from: unknown, to: unknown): void {
  // biome-ignore lint/suspicious/noExplicitAny: the types of tests know no page
  const { DataTransfer, DragEvent } = globalThis as any;
  const dataTransfer = new DataTransfer();
  const tell = (element: unknown, type: string): boolean =>
    (element as EventTarget).dispatchEvent(
      new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }),
    );
  tell(from, 'dragstart');
  tell(to, 'dragenter');
  const isTaken = !tell(to, 'dragover');
  if (isTaken) tell(to, 'drop');
  tell(from, 'dragend');
}

/** A window of a browser of its own, with everything that went wrong in its pages. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** Violations of the policy, uncaught errors, and errors on the console, except failed requests that a test causes. */
  problems: string[];
}

/** Opens a window without a session. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    // Requests that a service worker may answer cannot be held back by a test.
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  if (IS_FIREFOX) useWhatFirefoxHas(page);
  // The driver catches the choice of files from now on: a key may ask for it before the driver has begun to wait for it.
  page.on('filechooser', () => undefined);
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => {
    // The clock of the driver fails in the page with which Firefox tells that there is no connection.
    if (IS_FIREFOX && /__pwClock|originals\.raw/.test(message)) return;
    problems.push(`uncaught: ${message}`);
  });
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (/Failed to load resource|net::ERR_|Service Worker registration blocked/.test(message.text())) return;
    problems.push(`${message.type()}: ${message.text()}`);
  });
  return { page, context, problems };
}

/** What signing in needs of an application: that of a process of its own has no more. */
export type Door = Pick<TestApp, 'address' | 'get' | 'post'>;

/** Opens a window that is signed in as a user of the application, at a path. Default: the owner, at "/", in English. */
export async function signedIn(
  browser: Browser,
  app: Door,
  {
    path = '/',
    userId,
    pagesName = 'Pages',
    ...options
  }: BrowserContextOptions & { path?: string; userId?: string; pagesName?: string } = {},
): Promise<Window> {
  const window = await openWindow(browser, options);
  const id = userId ?? (await ownerOf(app));
  const { json } = await app.post(`/v1/users/${id}/sign-in-codes`);
  await window.page.goto(`${app.address}${path}#sign-in=${json.data.code}`);
  await window.page.getByRole('navigation', { name: pagesName }).waitFor();
  return window;
}

async function ownerOf(app: Pick<TestApp, 'get'>): Promise<string> {
  const { json } = await app.get('/v1/users');
  return json.data.find((user: { email: string }) => user.email === 'owner@localhost').id;
}

/** Fails where a page breaks a rule of WCAG 2.2 AA that a program can check. No script can look into the frame of a letter. */
export async function assertAccessible(page: Page): Promise<void> {
  // Colours are judged when they have arrived: what moves without end is left out.
  await page.evaluate(`Promise.allSettled(document.getAnimations().flatMap((animation) =>
    animation.effect.getComputedTiming().endTime === Infinity ? [] : [animation.finished]))`);
  // By the protocol of the browser: the policy of the page forbids added scripts.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate(async () => {
    const { axe, document } = globalThis as unknown as { axe: typeof import('axe-core'); document: never };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await axe.run(document, { runOnly: tags, iframes: false });
    return violations.map(({ id, nodes }) => [
      id,
      ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
    ]);
  });
  assert.deepEqual(found, []);
}
