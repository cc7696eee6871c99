import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { TestApp } from '../harness.ts';

export interface Mail {
  subject?: string;
  from?: string;
  /** Further header fields, each with its line end. */
  headers?: string;
  body?: string;
  folder?: string;
  /** Such as "flag=read&label=x". */
  query?: string;
}

/** Appends a message; answers its id. */
export async function append(app: TestApp, mail: Mail = {}): Promise<string> {
  const { subject = 'Hello', from = 'Ann <ann@example.org>', headers = '', body = 'A text.\r\n' } = mail;
  const message = `From: ${from}\r\nTo: owner@localhost\r\nSubject: ${subject}\r\n${headers}\r\n${body}`;
  return appendRaw(app, Buffer.from(message), mail);
}

export async function appendRaw(app: TestApp, message: Buffer, mail: Mail = {}): Promise<string> {
  const { folder = 'inbox', query = '' } = mail;
  const answer = await app.post(`/v1/folders/${folder}/messages?${query}`, message, {
    headers: { 'content-type': 'message/rfc822' },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data.id;
}

export async function messageOf(app: TestApp, id: string) {
  return (await app.get(`/v1/messages/${id}`)).json.data;
}

export async function folderId(app: TestApp, role: string): Promise<string> {
  const { json } = await app.get('/v1/folders');
  return json.data.find((folder: { role: string }) => folder.role === role).id;
}

/** The changes of the owner since a cursor; without one, the cursor of now. */
export async function changesSince(app: TestApp, cursor?: string) {
  const { json } = await app.get(`/v1/changes${cursor === undefined ? '' : `?limit=1000&cursor=${cursor}`}`);
  return json.data as { cursor: string; changes: { type: string; ids: { message_ids?: string[] } }[] };
}

/** How often a message was changed in a way since a cursor. */
export async function timesOf(app: TestApp, cursor: string, type: string, id: string): Promise<number> {
  const { changes } = await changesSince(app, cursor);
  return changes.filter((change) => change.type === type && change.ids.message_ids?.includes(id)).length;
}

/** The list of the page, without what a first visit shows. */
export async function listOf(page: Page) {
  const tour = page.getByRole('button', { name: 'Got it' });
  const list = page.getByRole('grid', { name: 'Messages' });
  await list.waitFor();
  if (await tour.isVisible()) await tour.click();
  return list;
}

export function rowOf(page: Page, subject: string) {
  return page.getByRole('row').filter({ hasText: subject });
}

/** The subjects of the rows that are drawn, from the top. */
export async function subjectsIn(page: Page): Promise<string[]> {
  const rows = await page.getByRole('row').evaluateAll((elements) =>
    elements
      .map((element) => ({
        at: Number(element.ariaRowIndex),
        text: element.querySelector('input')?.ariaLabel,
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ text }) => String(text).replace(/^Select /, '')),
  );
  return rows;
}
