import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { data } from '../areas/accounts.ts';
import type { TestApp } from '../harness.ts';

type Api = Pick<TestApp, 'get' | 'post'>;

/** Uploads a small file over the API; answers its record. */
export async function makeFile(app: Api, name: string, content: string | Uint8Array = name, folderId = '') {
  const query = new URLSearchParams({ filename: name, folder_id: folderId });
  const headers = { 'content-type': 'application/octet-stream' };
  return data(await app.post(`/v1/files?${query}`, content, { headers }), 201);
}

/** Creates a folder over the API; answers its record. */
export async function makeFolder(app: Api, name: string, parentId = '') {
  return data(await app.post('/v1/file-folders', { name, parent_id: parentId }), 201);
}

/** The titles of the files in a folder, as the API lists them. */
export async function titlesIn(app: Api, folderId: string): Promise<string[]> {
  const files = data(await app.get(`/v1/files?limit=200&folder_id=${folderId}`));
  return files.map(({ title }: { title: string }) => title);
}

/** The list of the page. */
export function gridOf(page: Page): Locator {
  return page.getByRole('main').getByRole('grid', { name: 'Files' });
}

/** The row of an item. */
export function rowOf(page: Page, name: string): Locator {
  return gridOf(page).getByRole('row').filter({ hasText: name });
}

/** Moves the keys to a row, as j does. */
export async function goToRow(page: Page, name: string): Promise<void> {
  await rowOf(page, name).waitFor();
  for (let steps = 0; steps < 50; steps++) {
    if ((await rowOf(page, name).getAttribute('data-current')) !== null) return;
    await page.keyboard.press(steps === 0 ? 'Home' : 'j');
  }
  assert.fail(`the keys do not reach ${name}`);
}

/** Waits until the server has confirmed all writes. */
export async function saved(page: Page): Promise<void> {
  // What a key has begun is in the outbox a moment later.
  await page.waitForTimeout(200);
  await page.getByRole('button', { name: 'Everything is saved' }).waitFor();
}

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`it did not come to it: ${what}`);
}
