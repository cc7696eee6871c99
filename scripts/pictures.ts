/** `npm run pictures`: takes the pictures of the console that the README shows, from the demo workspace, in docs/pictures. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '..');
const WIDE = { viewport: { width: 1280, height: 800 } };
const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true };

interface Picture {
  name: string;
  options: BrowserContextOptions;
  /** Leads from the first page to what is to be seen. */
  show(page: Page): Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'mail',
    options: WIDE,
    show: async (page) => {
      await page.getByRole('button', { name: 'Got it' }).click();
      await page.getByRole('row').nth(1).click();
      await page
        .frameLocator('iframe')
        .locator('body')
        .waitFor({ timeout: 5000 })
        .catch(() => undefined);
    },
  },
  {
    name: 'files',
    options: { ...WIDE, colorScheme: 'dark' },
    show: async (page) => {
      await page.getByRole('link', { name: 'Files' }).click();
      await page.getByRole('grid').waitFor();
    },
  },
  {
    name: 'contacts',
    options: WIDE,
    show: async (page) => {
      await page.getByRole('link', { name: 'Contacts' }).click();
      await page.getByRole('row').nth(2).click();
    },
  },
  {
    name: 'mail-narrow',
    options: { ...NARROW, colorScheme: 'dark' },
    show: async (page) => page.getByRole('grid').waitFor(),
  },
];

/** Starts the demo. Resolves with its address, the owner's key, and how to end it. */
async function startDemo(): Promise<{ address: string; key: string; stop(): void }> {
  const demo = spawn(process.execPath, [join(ROOT, 'demo/run.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  let address: string | undefined;
  for await (const line of createInterface(demo.stdout)) {
    address ??= /^The demo is ready on (\S+)/.exec(line)?.[1];
    const key = /^ {2}KEY=(\S+)$/.exec(line)?.[1];
    if (address && key) return { address, key, stop: () => demo.kill('SIGTERM') };
  }
  throw new Error('The demo has ended before it was ready');
}

async function take(
  browser: Browser,
  address: string,
  key: string,
  { name, options, show }: Picture,
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByLabel('Code or key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await show(page);
  // Fonts, pictures and the letter come after the list.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(ROOT, 'docs/pictures', `${name}.png`) });
  await context.close();
  console.log(`docs/pictures/${name}.png`);
}

const demo = await startDemo();
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const picture of PICTURES) await take(browser, demo.address, demo.key, picture);
} finally {
  await browser.close();
  demo.stop();
}
