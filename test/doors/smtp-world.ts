import assert from 'node:assert/strict';
import { folderOf } from '../areas/mail-world.ts';
import { OWNER_KEY, type TestApp } from '../harness.ts';

/** The summaries of an inbox, newest first. */
export async function inboxOf(app: TestApp, key?: string) {
  const inbox = await folderOf(app, 'inbox', key);
  const answer = await app.get(`/v1/messages?folder_id=${inbox}&limit=200`, key === undefined ? {} : { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}

/** What a message began with and what it is: the trace headers, and the bytes as they were sent. */
export async function storedBytes(
  app: TestApp,
  id: string,
): Promise<{ trace: string; content: Buffer; size: number }> {
  const response = await fetch(`${app.address}/v1/messages/${id}/raw`, {
    headers: { authorization: `Bearer ${OWNER_KEY}` },
  });
  assert.equal(response.status, 200);
  const raw = Buffer.from(await response.arrayBuffer());
  const [trace = ''] =
    /^Return-Path: .*\r\nReceived: .*\r\n(?: .*\r\n){2,3}/.exec(raw.toString('latin1')) ?? [];
  assert.ok(trace, 'begins with the trace headers');
  return { trace, content: raw.subarray(trace.length), size: raw.length };
}
