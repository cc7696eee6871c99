import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { bytesOf } from '../contract/blobs-content.ts';
import { ANY_ENGINE, freshDatabase, type TestDatabase } from '../engines.ts';
import { type Answer, OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { signedIn, startBrowser } from './browser.ts';
import { gridOf, makeFolder, rowOf, titlesIn, until } from './files-world.ts';
import { chooseFolder, loseAnswer } from './interrupting.ts';
import { doorOf, freePort } from './killed-server.ts';

const PART = 8 * 1024 * 1024;
const CONTENT = bytesOf(4 * PART + 77);

describe('uploads of the files page', () => {
  let app: TestApp;
  let browser: Browser;
  let directory: string;
  before(async () => {
    [app, browser] = await Promise.all([startApp(ANY_ENGINE), startBrowser()]);
    directory = await mkdtemp(join(tmpdir(), 'atrium-uploads-'));
    await writeFile(join(directory, 'large.bin'), CONTENT);
  });
  after(async () => {
    await browser.close();
    await app.stop();
    await rm(directory, { recursive: true });
  });

  const chooserOf = async (page: Page, key: string) => {
    await page.getByText('Nothing here yet').waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press(key)]);
    return chooser;
  };
  const choose = async (page: Page, key: string, path: string) => (await chooserOf(page, key)).setFiles(path);
  const assertOneEqual = async (address: string, folderId: string, listed: Answer) => {
    const files = data(listed);
    assert.deepEqual(
      [files.length, files[0]?.size_bytes, files[0]?.folder_id],
      [1, CONTENT.length, folderId],
    );
    const answer = await fetch(`${address}/v1/files/${files[0].id}/content`, {
      headers: { authorization: `Bearer ${OWNER_KEY}` },
    });
    assert.ok(CONTENT.equals(Buffer.from(await answer.arrayBuffer())), 'other bytes came back');
  };

  it('pauses, goes on, and goes on by itself after a reload, from the parts that are there', async () => {
    const folder = await makeFolder(app, 'Reloaded');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    const sent = partsSent(page);
    await hold(page, true);
    await choose(page, 'u', join(directory, 'large.bin'));
    await page.getByText(/ of 33.6/).waitFor();
    await page.getByRole('button', { name: 'Pause large.bin' }).press('Enter');
    await page.getByText(/Paused at/).waitFor();
    await page.getByRole('button', { name: 'Go on with large.bin' }).press('Enter');
    await until(async () => (await openUpload(app))?.received_bytes === 2 * PART, 'two parts are there');
    sent.length = 0;
    // Another page of the console goes on with it as well.
    await page.goto(`${app.address}/contacts/`);
    await hold(page, false);
    await until(async () => (await titlesIn(app, folder.id)).length === 1, 'the file is there');
    await until(async () => sent.length >= 3, 'the page tells what it has sent');
    assert.deepEqual(sent.toSorted(), [3, 4, 5]);
    await assertOneEqual(app.address, folder.id, await app.get(`/v1/files?folder_id=${folder.id}`));
    assert.deepEqual(problems, []);
  });

  it('makes one file and each folder once where answers are lost', async () => {
    const base = join(directory, 'Trip');
    await mkdir(join(base, 'Photos', 'Best'), { recursive: true });
    await writeFile(join(base, 'plan.txt'), 'the plan');
    await writeFile(join(base, 'Photos', 'one.txt'), 'one');
    await writeFile(join(base, 'Photos', 'Best', 'two.txt'), 'two');
    const folder = await makeFolder(app, 'Lossy uploads');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    const lost = new Set<string>();
    await page.route(/\/v1\/(?:file-folders|files\/uploads(?:\/.*)?)$/, async (route) => {
      const { method, url } = { method: route.request().method(), url: route.request().url() };
      const step = `${method} ${url.replace(/upl\w+/, '')}`;
      if (method === 'GET' || lost.has(step)) return route.continue();
      lost.add(step);
      await loseAnswer(route);
    });
    await page.getByText('Nothing here yet').waitFor();
    await chooseFolder(page, base, () => page.keyboard.press('Shift+U'));
    await page.getByText('3 files uploaded').waitFor();
    const folders: { id: string; name: string; parent_id: string }[] = data(
      await app.get('/v1/file-folders'),
    );
    const below = (parentId: string) => folders.filter(({ parent_id }) => parent_id === parentId);
    const [trip, ...others] = below(folder.id);
    assert.ok(trip);
    const [photos] = below(trip.id);
    const [best] = below(photos?.id ?? '?');
    assert.deepEqual(
      [
        others.length,
        below(trip.id).length,
        below(photos?.id ?? '?').length,
        trip.name,
        photos?.name,
        best?.name,
      ],
      [0, 1, 1, 'Trip', 'Photos', 'Best'],
    );
    assert.deepEqual(await titlesIn(app, trip.id), ['plan.txt']);
    assert.deepEqual(await titlesIn(app, photos?.id ?? '?'), ['one.txt']);
    assert.deepEqual(await titlesIn(app, best?.id ?? '?'), ['two.txt']);
    assert.ok(lost.size >= 4, [...lost].join());
    assert.deepEqual(problems, []);
  });

  it('uploads what is dropped, with its folders, also empty ones', async () => {
    const folder = await makeFolder(app, 'Dropped');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByText('Nothing here yet').waitFor();
    // A dropped folder cannot be made by a script: entries as the browser gives them stand in for it.
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: the types of tests know no page
      const { document, File, DragEvent, DataTransfer } = globalThis as any;
      const file = (name: string) => ({
        isFile: true,
        isDirectory: false,
        name,
        file: (give: (file: unknown) => void) => give(new File([name], name)),
      });
      const folderOf = (name: string, children: object[]) => ({
        isFile: false,
        isDirectory: true,
        name,
        createReader: () => {
          const batches = [children, []];
          return { readEntries: (give: (entries: object[]) => void) => give(batches.shift() ?? []) };
        },
      });
      const entries = [folderOf('Dir', [file('in.txt'), folderOf('Empty', [])]), file('top.txt')];
      const dataTransfer = new DataTransfer();
      for (const { name } of entries) dataTransfer.items.add(new File([''], name));
      const items = entries.map((entry) => ({
        kind: 'file',
        webkitGetAsEntry: () => entry,
        getAsFile: () => null,
      }));
      Object.defineProperty(dataTransfer, 'items', { value: items });
      const target = document.querySelector('main h2');
      for (const type of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    });
    await page.getByText('2 files uploaded').waitFor();
    await rowOf(page, 'Dir').waitFor();
    const names = async () =>
      data(await app.get('/v1/file-folders')).map(({ name }: { name: string }) => name);
    await until(async () => (await names()).includes('Empty'), 'the empty folder is there');
    assert.deepEqual(await titlesIn(app, folder.id), ['top.txt']);
    assert.equal((await names()).filter((name: string) => name === 'Dir').length, 1);
    assert.deepEqual(problems, []);
  });

  it('tells why a file is refused, and forgets it when the person gives it up', async () => {
    const folder = await makeFolder(app, 'Soon gone');
    const { page, problems } = await signedIn(browser, app, { path: `/files/folder/${folder.id}` });
    await page.getByText('Nothing here yet').waitFor();
    let isGone = false;
    // The folder goes while its upload begins: a page that hears of it earlier takes its button away.
    await page.route(/\/v1\/files/, async (route) => {
      if (!isGone && route.request().method() === 'POST') {
        isGone = true;
        await app.delete(`/v1/file-folders/${folder.id}`);
      }
      await route.continue();
    });
    const chooser = await chooserOf(page, 'u');
    await chooser.setFiles(join(directory, 'Trip', 'plan.txt'));
    await page.getByText('1 file was not uploaded').waitFor();
    await page.getByText(/trash/i).last().waitFor();
    await page.getByRole('button', { name: 'Give up the upload of plan.txt' }).press('Enter');
    await page.getByText('1 file was not uploaded').waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  describe('with a server that is killed', () => {
    let storage: TestDatabase;
    let server: ServedProcess;
    let port: number;
    const start = async () => {
      const { dataDir, databaseUrl } = storage;
      server = await serveProcess({
        ATRIUM_DATA_DIR: dataDir,
        ATRIUM_DATABASE_URL: databaseUrl ?? '',
        ATRIUM_PORT: String(port),
      });
    };
    before(async () => {
      [storage, port] = await Promise.all([freshDatabase(ANY_ENGINE), freePort()]);
      await start();
    });
    after(async () => {
      await server.kill();
      await storage.remove();
    });

    it('goes on by itself, and the bytes are equal', async () => {
      const door = doorOf(`http://127.0.0.1:${port}`);
      const folder = await makeFolder(door, 'Killed');
      const { page, problems } = await signedIn(browser, door, { path: `/files/folder/${folder.id}` });
      await hold(page, true);
      await choose(page, 'u', join(directory, 'large.bin'));
      await until(async () => (await openUpload(door))?.received_bytes === 2 * PART, 'two parts are there');
      await server.kill();
      await hold(page, false);
      await page.getByText('Offline: 1 file goes on by itself').waitFor();
      await start();
      await page.getByText('1 file uploaded').waitFor();
      await assertOneEqual(door.address, folder.id, await door.get(`/v1/files?folder_id=${folder.id}`));
      await rowOf(page, 'large.bin').waitFor();
      assert.equal(await gridOf(page).getByRole('row').count(), 1);
      assert.deepEqual(problems, []);
    });
  });
});

/** Keeps the parts after the second from being sent, in the page itself: large bodies would take long through the driver. */
async function hold(page: Page, isHeld: boolean): Promise<void> {
  if (isHeld) await page.addInitScript(holdParts);
  await page.evaluate((held) => {
    const { localStorage } = globalThis as unknown as { localStorage: Record<string, unknown> };
    localStorage['test-held'] = held ? 'yes' : 'no';
  }, isHeld);
  if (isHeld) await page.reload();
}

/** Runs in the page. */
function holdParts(): void {
  const world = globalThis as unknown as { fetch: typeof fetch; localStorage: Record<string, unknown> };
  const send = world.fetch;
  world.fetch = async (input, init) => {
    while (/\/parts\/[3-9]$/.test(String(input)) && world.localStorage['test-held'] === 'yes') {
      init?.signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return send(input, init);
  };
}

/** The numbers of the parts that the page sends, as it sends them. */
function partsSent(page: Page): number[] {
  const sent: number[] = [];
  page.on('request', (request) => {
    const number = /\/parts\/(\d+)$/.exec(request.url())?.[1];
    if (number !== undefined) sent.push(Number(number));
  });
  return sent;
}

async function openUpload(app: Pick<TestApp, 'get'>): Promise<{ received_bytes: number } | undefined> {
  return data(await app.get('/v1/files/uploads'))[0];
}
