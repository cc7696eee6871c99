/**
 * The console on a mailbox of 100,000 messages and on a folder of 20,000 files, in a real Chromium: what is loaded, until a list is
 * drawn, a key until its effect is drawn, the longest task, screens that were blank while it scrolled, and what scrolling
 * leaves in memory. To reach: the budget of docs/decisions/0065-console.md.
 */
import type { Browser, Page } from 'playwright-core';
import { buildConsole } from '../scripts/build-console.ts';
import { startBrowser } from '../test/console/browser.ts';
import {
  heapOf,
  Loaded,
  longestTask,
  OBSERVE,
  open,
  pressKeys,
  reload,
  scroll,
  signIn,
} from './console/page.ts';
import { driveDirectory } from './files/drive.ts';
import { importedMailbox } from './mail/import-mailbox.ts';
import { type AtriumServer, get, OWNER_KEY, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MESSAGES = 100_000;
const FILES = 20_000;
const LOADS = 5;
const KEYS = 25;
const READING_MS = 500;
/** How far the mailbox is scrolled, in screens, and the pause between two of them in milliseconds. */
const SCREENS = 600;
const SCREEN_MS = 60;
/** More screens than the folder has. */
const MOST_SCREENS = 3_000;
/** Pages that are visited after mail, each with what stands on it. */
const PAGES = [
  ['contacts', '/contacts/', 'Search contacts'],
  ['files', '/files/', 'Search files'],
  ['filters', '/mail/filters/', 'Filters'],
  ['compose', '/mail/compose/new', 'Message'],
] as const;
const CURRENT = "document.querySelector('[data-current]')?.id";
const SELECTED = "document.querySelectorAll('[aria-selected=true]').length";
/** Each key with what it changes on the page. */
const MAIL_KEYS = [
  ['j', CURRENT],
  ['x', SELECTED],
  ['s', "document.querySelector('[data-current] [aria-pressed]')?.ariaPressed"],
] as const;
/** What is shown of a conversation: its subject, and the times of its messages. */
const OPENED =
  "[...document.querySelectorAll('h1, header time')].map((one) => one.textContent + (one.dateTime ?? '')).join()";

export async function bench(): Promise<Figure[]> {
  await buildConsole();
  const browser = await startBrowser();
  try {
    return [...(await mail(browser)), ...(await files(browser))];
  } finally {
    await browser.close();
  }
}

async function mail(browser: Browser): Promise<Figure[]> {
  const server = await startAtrium(await importedMailbox(MESSAGES));
  try {
    const page = await openPage(browser);
    const loaded = new Loaded(page);
    await open(page, server.url);
    const frame = await loaded.kilobytes();
    await signIn(page);
    const inbox = await loaded.kilobytes();
    return [
      { name: 'first load, compressed', unit: 'KB', value: frame },
      { name: 'page of mail, compressed', unit: 'KB', value: inbox },
      ...(await pageParts(browser, server.url)),
      ...(await loading(browser, page, 'the inbox')),
      ...(await mailKeys(browser, page)),
      ...(await mailScrolling(browser, page)),
    ];
  } finally {
    await server.stop();
  }
}

async function mailScrolling(browser: Browser, page: Page): Promise<Figure[]> {
  const before = await heapOf(page);
  let down = { blank: 0, waited: 0, last: 0 };
  const longest = await longestTask(browser, page, async () => {
    down = await scroll(page, SCREENS, SCREEN_MS);
  });
  const after = await heapOf(page);
  const up = await scroll(page, -SCREENS, SCREEN_MS);
  const again = await heapOf(page);
  return [
    ...scrolled(`messages, ${down.last} of them`, { blank: down.blank + up.blank, waited: down.waited }),
    { name: 'longest task while it scrolled messages', unit: 'ms', value: longest },
    { name: 'memory after scrolling messages, above before', unit: 'MB', value: after - before },
    { name: 'memory that scrolling back adds', unit: 'MB', value: Math.max(0, again - after) },
  ];
}

async function files(browser: Browser): Promise<Figure[]> {
  const server = await startAtrium(await driveDirectory(FILES));
  try {
    const page = await openPage(browser);
    await open(page, `${server.url}/files/folder/${await folderOf(server)}`);
    await signIn(page);
    const first = await loading(browser, page, `${FILES} files`);
    await page.getByRole('main').getByRole('grid').focus();
    const keys = await pressKeys(page, 'j', CURRENT, KEYS);
    const before = await heapOf(page);
    let down = { blank: 0, waited: 0, last: 0 };
    const longest = await longestTask(browser, page, async () => {
      down = await scroll(page, MOST_SCREENS, SCREEN_MS, FILES);
    });
    if (down.last < FILES) throw new Error(`The list ends at file ${down.last} of ${FILES}`);
    return [
      ...first,
      ...keyFigures('j in a folder', keys),
      ...scrolled(`${FILES} files to their end`, down),
      { name: 'longest task while it scrolled files', unit: 'ms', value: longest },
      {
        name: 'memory after scrolling files, above before',
        unit: 'MB',
        value: (await heapOf(page)) - before,
      },
    ];
  } finally {
    await server.stop();
  }
}

async function openPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.addInitScript(OBSERVE);
  return page;
}

/** The folder of all the files. */
async function folderOf(server: AtriumServer): Promise<string> {
  const [folder] = (await get(server, '/v1/file-folders')).data as { id: string }[];
  if (!folder) throw new Error('There is no folder');
  return folder.id;
}

async function loading(browser: Browser, page: Page, what: string): Promise<Figure[]> {
  const drawn: number[] = [];
  for (let i = 0; i < LOADS; i++) drawn.push(await reload(page));
  const longest = await longestTask(browser, page, () => reload(page));
  return [
    { name: `reload to ${what} drawn`, unit: 'ms', value: median(drawn) },
    { name: `longest task while ${what} is loaded`, unit: 'ms', value: longest },
  ];
}

async function mailKeys(browser: Browser, page: Page): Promise<Figure[]> {
  const tour = page.getByRole('button', { name: 'Got it' });
  if (await tour.isVisible()) await tour.click();
  await page.getByRole('grid').first().focus();
  const figures: Figure[] = [];
  for (const [key, effect] of MAIL_KEYS) {
    figures.push(...keyFigures(key, await pressKeys(page, key, effect, KEYS)));
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('toolbar').waitFor();
  const opened: number[] = [];
  const longest = await longestTask(browser, page, async () => {
    for (let i = 0; i < KEYS; i++) {
      // As one who reads: what comes next is loaded meanwhile.
      await page.waitForTimeout(READING_MS);
      opened.push(...(await pressKeys(page, 'j', OPENED, 1)));
    }
  });
  await page.keyboard.press('Escape');
  return [
    ...figures,
    ...keyFigures('j in a conversation', opened),
    { name: 'longest task while conversations are read', unit: 'ms', value: longest },
  ];
}

function keyFigures(key: string, times: readonly number[]): Figure[] {
  return [
    { name: `a key to its effect drawn: ${key}`, unit: 'ms', value: median(times) },
    { name: `slowest of the keys: ${key}`, unit: 'ms', value: Math.max(...times) },
  ];
}

function scrolled(what: string, { blank, waited }: { blank: number; waited: number }): Figure[] {
  return [
    { name: `screens that were blank while it scrolled ${what}`, unit: '', value: blank },
    { name: `screens that had to wait while it scrolled ${what}`, unit: '', value: waited },
  ];
}

/** What each page brings along when it is visited first, each in a window of its own. */
async function pageParts(browser: Browser, url: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, path, label] of PAGES) {
    const page = await openPage(browser);
    const loaded = new Loaded(page);
    await open(page, `${url}${path}`);
    await loaded.kilobytes();
    await page.getByLabel('Code or key').fill(OWNER_KEY);
    await page.keyboard.press('Enter');
    await page.getByLabel(label, { exact: true }).first().waitFor();
    figures.push({ name: `page of ${name}, compressed`, unit: 'KB', value: await loaded.kilobytes() });
    await page.context().close();
  }
  return figures;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
