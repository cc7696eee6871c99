/**
 * Keeps the page for when the server is away, so that a reload still shows what is not saved. It keeps the files with which the
 * page begins and nothing else: no answer of the API, no ticket, no page of another program.
 */

/** Set by the build: a digest of it, and the paths of the page and of the files that it needs to begin. */
declare const BUILD: string;
declare const SHELL: readonly string[];

interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
  /** Where the browser knows it: requests that never come here. */
  addRoutes?(routes: readonly { condition: { urlPattern: string }; source: 'network' }[]): Promise<void>;
}

interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface Scope {
  readonly registration: { readonly navigationPreload?: { disable(): Promise<void> } };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', react: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', react: (event: Fetching) => void): void;
}

const scope = self as unknown as Scope;

const PREFIX = 'atrium-shell-';
const CACHE = `${PREFIX}${BUILD}`;
const PAGE = '/';
/** The addresses that the server answers with the page. */
const PAGES = /^\/(?:(?:mail|contacts|files)(?:\/.*)?)?$/;
/** A proxy answers so for a server that is away. */
const AWAY = [502, 503, 504];
const NEVER_KEPT = [
  '/v1/*',
  '/console/session',
  '/console/session/*',
  '/console/tickets',
  '/console/tickets/*',
];

scope.addEventListener('install', (event) => {
  const routes = NEVER_KEPT.map((urlPattern) => ({ condition: { urlPattern }, source: 'network' as const }));
  event.waitUntil(event.addRoutes?.(routes).catch(() => undefined) ?? Promise.resolve());
  // The page reads its scripts from the network first, so that a new version need not wait for the tabs of an old one.
  event.waitUntil(keepShell().then(() => scope.skipWaiting()));
});

scope.addEventListener('activate', (event) => {
  // A page that is preloaded while no server answers ends in an error of Firefox, whatever this script answers.
  event.waitUntil(Promise.all([forgetOthers(), scope.registration.navigationPreload?.disable()]));
});

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && request.destination === 'document' && PAGES.test(pathname))
    event.respondWith(pageFor(event));
  else if (pathname !== PAGE && SHELL.includes(pathname))
    event.respondWith(kept(pathname).then((found) => found ?? fetch(request)));
});

/** All or nothing: a page with the scripts of another build would not begin. */
async function keepShell(): Promise<void> {
  const files = await Promise.all(SHELL.map(read));
  const page = await files[SHELL.indexOf(PAGE)]?.clone().text();
  if (!SHELL.every((path) => path === PAGE || /\bchunk-/.test(path) || page?.includes(path)))
    throw new Error('The server has another build of the page meanwhile');
  const cache = await caches.open(CACHE);
  await Promise.all(files.map((file, index) => cache.put(SHELL[index] ?? PAGE, file)));
}

async function read(path: string): Promise<Response> {
  const answer = await fetch(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer;
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The page as the server has it; the kept one where no server answers. */
async function pageFor({ request }: Fetching): Promise<Response> {
  try {
    const answer = await fetch(request);
    return AWAY.includes(answer.status) ? ((await kept(PAGE)) ?? answer) : answer;
  } catch (error) {
    const page = await kept(PAGE);
    if (page) return page;
    throw error;
  }
}

async function kept(path: string): Promise<Response | undefined> {
  const cache = await caches.open(CACHE);
  // The page varies by what a client prefers, and every client here is a browser.
  return cache.match(path, { ignoreVary: true });
}
