import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { IS_FIREFOX } from './browser.ts';

type Routed = Pick<Page | BrowserContext, 'route' | 'unroute'>;
type Url = string | RegExp;

/** Keeps requests of a method from the server until the function that it returns is called. */
export async function held(page: Routed, url: Url, method: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released;
    // The page may be gone by then.
    await route.fallback().catch(() => undefined);
  });
  return release;
}

/** Answers requests of a method in place of the server, `after` something. Returns their Idempotency-Keys. */
export async function answered(
  page: Routed,
  url: Url,
  method: string,
  status: number,
  message = 'It broke.',
  after: Promise<unknown> = Promise.resolve(),
): Promise<string[]> {
  const keys: string[] = [];
  const code = status === 422 ? 'validation_failed' : 'internal_error';
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    await after;
    const body = JSON.stringify({ error: { code, message } });
    await route.fulfill({ status, contentType: 'application/json', body });
  });
  return keys;
}

/** The server gets requests of a method, and its answers are lost. Returns their Idempotency-Keys. */
export async function lost(page: Routed, url: Url, method: string): Promise<string[]> {
  const keys: string[] = [];
  await page.route(url, async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    await loseAnswer(route);
  });
  return keys;
}

/** The server gets a request, and its answer is lost. */
export async function loseAnswer(route: Route): Promise<void> {
  if (IS_FIREFOX) return loseBehindProxy(route);
  await route.fetch().catch(() => undefined);
  await route.abort().catch(() => undefined);
}

let losing: Promise<string> | undefined;

/** The headers that Firefox leaves out of a request which goes to another origin than it was made for, request by request. */
const leftOut: Record<string, string>[] = [];

/** By WebDriver BiDi the driver does not know the body of a request, so Firefox sends it itself, to somebody who loses the answer. */
async function loseBehindProxy(route: Route): Promise<void> {
  losing ??= startLosing();
  const { authorization, 'idempotency-key': key } = route.request().headers();
  const index =
    leftOut.push({ ...(authorization && { authorization }), ...(key && { 'idempotency-key': key }) }) - 1;
  const { host, pathname, search } = new URL(route.request().url());
  const url = `${await losing}/${index}/${host}${pathname}${search}`;
  await route.continue({ url }).catch(() => undefined);
}

async function startLosing(): Promise<string> {
  const server = createServer((asked, answer) => {
    const [, index, target] = /^\/(\d+)\/(.*)$/.exec(asked.url ?? '') ?? [];
    const headers = { ...asked.headers, ...leftOut[Number(index)] };
    const forwarded = request(`http://${target}`, { method: asked.method, headers }, (given) => {
      given.resume().once('end', () => answer.destroy());
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Chooses a whole folder in the choice that `act` opens. Firefox takes none from its driver, and its own window would keep the
 * focus: the page gets the files in place of the choice, as the browser would give them.
 */
export async function chooseFolder(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  if (!IS_FIREFOX) {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), act()]);
    return chooser.setFiles(path);
  }
  await page.evaluate(takeNextChoice, await filesBelow(path));
  await act();
}

interface ChosenFile {
  name: string;
  path: string;
  content: string;
}

async function filesBelow(path: string): Promise<ChosenFile[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      name: basename(file),
      path: relative(dirname(path), file),
      content: readFileSync(file, 'utf8'),
    }));
}

/** Runs in the page: the next field for files that is clicked has these in place of asking for some. */
function takeNextChoice(files: ChosenFile[]): void {
  // biome-ignore lint/suspicious/noExplicitAny: the types of tests know no page
  const { DataTransfer, File, Event, HTMLInputElement } = globalThis as any;
  const { click } = HTMLInputElement.prototype;
  HTMLInputElement.prototype.click = function choose() {
    HTMLInputElement.prototype.click = click;
    const chosen = new DataTransfer();
    for (const { name, path, content } of files) {
      const file = new File([content], name);
      Object.defineProperty(file, 'webkitRelativePath', { value: path });
      chosen.items.add(file);
    }
    this.files = chosen.files;
    this.dispatchEvent(new Event('change', { bubbles: true }));
  };
}

/** Keeps requests of a method from reaching the server. */
export async function cutOff(page: Routed, url: Url, method: string): Promise<void> {
  await page.route(url, (route) => (route.request().method() === method ? route.abort() : route.fallback()));
}
