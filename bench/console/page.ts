import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { OWNER_KEY } from '../mail/servers.ts';

/** Rows that a list has at least, when it is drawn. */
const FIRST_ROWS = 5;
/** What takes longer does not come. */
const MOST_MS = 30_000;

/** Runs in the page before its scripts: notes when the first rows were drawn, so that the time of the driver is not in the figures. */
export const OBSERVE = `
  // After what the frame that begins now draws.
  globalThis.afterFrame = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(undefined);
  }));
  globalThis.listDrawn = (async () => {
    for (;;) {
      const at = await globalThis.afterFrame();
      if (document.querySelectorAll('[role=row]').length > ${FIRST_ROWS}) return at;
      if (at > ${MOST_MS}) throw new Error('No list was drawn');
    }
  })();
`;

/** The bytes of the scripts and styles that a page loads, compressed. */
export class Loaded {
  readonly #sizes: Promise<number>[] = [];

  constructor(page: Page) {
    page.on('response', (answer) => {
      if (answer.url().includes('/console/assets/'))
        this.#sizes.push(answer.body().then((body) => gzipSync(body).length));
    });
  }

  /** In kilobytes, since the call before. */
  async kilobytes(): Promise<number> {
    const sizes = await Promise.all(this.#sizes.splice(0));
    return sizes.reduce((sum, size) => sum + size, 0) / 1000;
  }
}

/** Opens the page, which asks who one is. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Code or key').waitFor();
}

/** Signs in and waits for the first list. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Code or key').fill(OWNER_KEY);
  await page.keyboard.press('Enter');
  await page.evaluate('globalThis.listDrawn');
}

/** Loads the page anew. Answers when its list was drawn, in milliseconds after the beginning. */
export async function reload(page: Page): Promise<number> {
  await page.reload();
  return page.evaluate<number>('globalThis.listDrawn');
}

/**
 * Presses a key so many times. Answers in milliseconds, for each, from the event to the end of the frame in which what `effect`
 * tells (an expression) has become another.
 */
export async function pressKeys(page: Page, key: string, effect: string, times: number): Promise<number[]> {
  const measured: number[] = [];
  for (let i = 0; i < times; i++) {
    // Without `void`, evaluate would await the promise before the key is pressed.
    await page.evaluate(`void (globalThis.keyDrawn = new Promise((resolve, reject) => addEventListener('keydown', async ({ timeStamp }) => {
      const effect = () => ${effect};
      const before = effect();
      for (;;) {
        const at = await globalThis.afterFrame();
        if (effect() !== before) return resolve(at - timeStamp);
        if (at - timeStamp > ${MOST_MS}) return reject(new Error('The key ${key} changes nothing: ' + before));
      }
    }, { once: true, capture: true })))`);
    await page.keyboard.press(key);
    measured.push(await page.evaluate<number>('globalThis.keyDrawn'));
  }
  return measured;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time, in microseconds. */
  tdur?: number;
  args: { name?: string };
}

/**
 * The longest task of a page's main thread while something is done, in milliseconds of processor time: on a machine that others
 * use as well, a task lasts as long as they let it.
 */
export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('The browser has told no task');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000;
}

/** What was seen while a list was scrolled. */
export interface Scrolled {
  /** Screens in whose middle no row was. */
  blank: number;
  /** Screens that had to wait since the list was not loaded so far. */
  waited: number;
  /** The row that was drawn last, from 1. */
  last: number;
}

/** Scrolls by so many screens, up where it is less than 0, with a pause after each; ends at a row (from 1) where it is drawn. */
export function scroll(page: Page, screens: number, pauseMs: number, end = Infinity): Promise<Scrolled> {
  return page.evaluate<Scrolled>(`(async () => {
    const list = document.querySelector('main [role=grid]') ?? document.querySelector('[role=grid]');
    const { left, top, width, height } = list.getBoundingClientRect();
    const found = { blank: 0, waited: 0, last: 0 };
    for (let i = 0; i < ${Math.abs(screens)}; i++) {
      const before = list.scrollTop;
      list.scrollTop += ${Math.sign(screens)} * height;
      await new Promise((resolve) => setTimeout(resolve, ${pauseMs}));
      const at = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!at?.closest('[role=row]')) found.blank++;
      const drawn = [...list.querySelectorAll('[role=row]')].map((row) => Number(row.ariaRowIndex));
      found.last = Math.max(...drawn);
      if (found.last >= ${end === Infinity ? 'Infinity' : end}) break;
      if (list.scrollTop === before && before > 0) found.waited++;
    }
    return found;
  })()`);
}

/** What the page keeps of its scripts, in megabytes, after a collection. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}
