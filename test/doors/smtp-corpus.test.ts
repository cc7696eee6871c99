import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { CORPUS, NO_CORPUS } from '../areas/mail-bytes.ts';
import { append, folderOf } from '../areas/mail-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { greeted } from './raw-smtp.ts';

const OWNER = 'owner@localhost';

/** What the server writes over a message that comes by SMTP (MAIL-46). */
const TRACE = ['Return-Path', 'Received'];

/** The header fields as the sender wrote them: only what came by SMTP begins with the server's trace. */
function sent(headers: { name: string; value: string }[], received: unknown): unknown[] {
  if (received === undefined) return headers;
  const trace = headers.slice(0, TRACE.length).map(({ name }) => name);
  assert.deepEqual(trace, TRACE);
  return headers.slice(TRACE.length);
}

/** What of a record does not depend on the way it came: ids, place, date, size and trace do. */
function comparable(record: Record<string, unknown>): Record<string, unknown> {
  const { id, folder_id, thread_id, date, size, flags, labels, received, ...kept } = record;
  const { attachments, headers, ...said } = kept;
  const parts = (attachments as { filename: string; mime_type: string; size: number }[]).map(
    ({ filename, mime_type, size: bytes }) => [filename, mime_type, bytes],
  );
  return {
    ...said,
    attachments: parts,
    headers: sent(headers as { name: string; value: string }[], received),
  };
}

/** A dot before each line that begins with one (RFC 5321, 4.5.2); a line ends with CRLF. */
function stuffed(message: string): Buffer {
  return Buffer.from(message.replace(/(^|\r\n)(?=\.)/g, '$1.'), 'latin1');
}

async function record(app: TestApp, id: string): Promise<Record<string, unknown>> {
  return (await app.get(`/v1/messages/${id}`)).json.data;
}

test('every message of the corpus is by SMTP what it is when it is imported', {
  skip: NO_CORPUS,
  timeout: 1_200_000,
}, async (t) => {
  const app = await startApp(ANY_ENGINE);
  t.after(() => app.stop());
  const inbox = await folderOf(app, 'inbox');
  const archive = await folderOf(app, 'archive');
  const differing: Record<string, string[]> = {};
  const files = globSync(`${CORPUS}/mail/*.eml`).sort();
  assert.ok(files.length > 500);
  const client = await greeted(app.smtp.port);
  for (const path of files) {
    const read = readFileSync(path, 'latin1');
    // What does not end with a line break gets one on the way.
    const message = read === '' || read.endsWith('\r\n') ? read : `${read}\r\n`;
    await client.begin([OWNER]);
    client.send(stuffed(message));
    client.send('.\r\n');
    const reply = await client.reply();
    assert.equal(reply.code, 250, `${path}: ${reply.lines.join()}`);
    const [newest] = (await app.get(`/v1/messages?folder_id=${inbox}&limit=1`)).json.data;
    const imported = await append(app, archive, Buffer.from(message, 'latin1'));
    const [one, other] = [
      comparable(await record(app, newest.id)),
      comparable(await record(app, imported.id)),
    ];
    const members = new Set([...Object.keys(one), ...Object.keys(other)]);
    const changed = [...members].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
    if (changed.length > 0) differing[basename(path)] = changed;
  }
  client.close();
  assert.deepEqual(differing, {});
});
