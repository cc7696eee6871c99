/** A page that is opened while no server answers: what the browser keeps of it, and what it keeps not. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ANY_ENGINE } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Front, frontOf } from './away.ts';
import { assertAccessible, openWindow, signedIn, startBrowser } from './browser.ts';
import { append } from './mail-world.ts';

const ALLOWED = { serviceWorkers: 'allow' } as const;

/** The paths that the browser keeps, by the names of the caches. */
async function keptBy(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(`(async () => {
    const kept = {};
    for (const name of await caches.keys())
      kept[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
    return kept;
  })()`);
}

async function isKept(page: Page): Promise<boolean> {
  const isActive = await page.evaluate(
    "navigator.serviceWorker.getRegistration().then((found) => found?.active?.state === 'activated')",
  );
  return isActive === true && Object.keys(await keptBy(page)).length === 1;
}

describe('the console while the server is away', () => {
  let app: TestApp;
  let browser: Browser;
  let front: Front;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    front = await frontOf(app.address);
    await append(app);
  });
  afterEach(() => {
    front.standing = 'there';
  });
  after(async () => {
    await browser.close();
    await front.stop();
    await app.stop();
  });

  const opened = async (path = '/mail/inbox') => {
    const window = await signedIn(browser, { ...app, address: front.address }, { path, ...ALLOWED });
    await eventually(() => isKept(window.page), 'the page is kept');
    return window;
  };

  it('a reload says what is not saved, and goes on by itself: the change is made once (SIGN-33)', async () => {
    const { page, problems } = await opened('/files');
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('textbox').fill('Made while away');
    front.standing = 'gone';
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /1 change not saved yet/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor();
    await page.getByText('1 change is not saved yet.').waitFor();
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertAccessible(page);
    front.standing = 'bad gateway';
    await page.reload();
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor();
    front.standing = 'there';
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
    const made = async () =>
      (await app.get('/v1/file-folders')).json.data.filter(
        ({ name }: { name: string }) => name === 'Made while away',
      );
    await eventually(async () => (await made()).length > 0, 'the folder is there');
    assert.equal((await made()).length, 1);
    assert.deepEqual(problems, []);
  });

  it('nothing is kept but the page and the scripts with which it begins (SIGN-33)', async () => {
    const { page } = await opened();
    await page.getByRole('row').first().click();
    await page.goto(`${front.address}/files`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const paths = Object.values(await keptBy(page)).flat();
    assert.ok(paths.includes('/'));
    assert.deepEqual(
      paths.filter((path) => path !== '/' && !/^\/console\/assets\/[\w-]+\.(?:js|css)$/.test(path)),
      [],
    );
  });

  it('addresses that are not of the page are never answered by what is kept (SIGN-33)', async () => {
    const { page } = await opened();
    front.standing = 'gone';
    for (const path of ['/docs', '/v1/openapi.json', '/healthz', '/console/tickets/x'])
      await assert.rejects(page.goto(`${front.address}${path}`), /ERR_|NS_ERROR/, path);
  });

  it('another build takes the place of the one before, and the page is always of the server (SIGN-33)', async () => {
    const { page } = await opened();
    const [before] = Object.keys(await keptBy(page));
    front.standing = 'another build';
    await page.reload();
    await eventually(async () => {
      // As the browser does with each visit: a look that failed is not repeated by itself.
      await page.evaluate('navigator.serviceWorker.getRegistration().then((found) => found.update())');
      const names = Object.keys(await keptBy(page));
      return names.length === 1 && names[0] !== before && String(names[0]).startsWith('atrium-shell-next');
    }, 'the new build alone is kept');
  });

  it('signing out takes away all that was kept (SIGN-33)', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: /^Sign out/ }).click();
    await page.getByLabel('Code or key').waitFor();
    assert.deepEqual(await keptBy(page), {});
    assert.equal(
      await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)'),
      0,
    );
  });

  it('a link that was opened while the server is away signs in when it is back', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: /^Sign out/ }).click();
    await page.getByLabel('Code or key').waitFor();
    const { json } = await app.get('/v1/users');
    const owner = json.data.find(({ email }: { email: string }) => email === 'owner@localhost').id;
    const { code } = (await app.post(`/v1/users/${owner}/sign-in-codes`)).json.data;
    front.standing = 'bad gateway';
    await page.evaluate(`location.hash = 'sign-in=${code}'`);
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor();
    front.standing = 'there';
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  it('the script that keeps it has a policy of its own, and is asked for anew each time (SIGN-33)', async () => {
    const answer = await fetch(`${app.address}/console/service-worker.js`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; connect-src 'self'");
    assert.equal(answer.headers.get('service-worker-allowed'), '/');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.match(answer.headers.get('content-type') ?? '', /^text\/javascript/);
    const { page } = await openWindow(browser, ALLOWED);
    await page.goto(front.address);
    await page.getByLabel('Code or key').waitFor();
    assert.equal(
      await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)'),
      0,
    );
  });

  it('no script becomes a worker but those of the page (SIGN-29)', async () => {
    const { page } = await openWindow(browser);
    await page.goto(front.address);
    await page.getByLabel('Code or key').waitFor();
    const tried = await page.evaluate(`[
      () => trustedTypes.createPolicy('other', {}),
      () => trustedTypes.createPolicy('atrium', {}),
      () => trustedTypes.createPolicy('default', {}),
      () => new Worker('/console/assets/x.js'),
      () => { document.body.innerHTML = '<b>x</b>'; },
    ].map((act) => { try { act(); return 'done'; } catch ({ name }) { return name; } })`);
    assert.deepEqual(tried, ['TypeError', 'TypeError', 'TypeError', 'TypeError', 'TypeError']);
  });
});
