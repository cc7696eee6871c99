import assert from 'node:assert/strict';
import { createReadStream, globSync } from 'node:fs';
import { test } from 'node:test';
import { splitMbox } from '../../src/formats/messages/mbox.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { CORPUS, NO_CORPUS } from './mail-bytes.ts';
import { importMail } from './mail-import-world.ts';

/** What looks wrong, by size and subject. Each was looked at: the message itself is to blame. */
const LOOKED_AT = [
  // Its subject is one encoded blank.
  '32 : no subject',
  '32 : no subject',
  // From: <>
  '2189 failure notice: no sender',
  '2363 Delivery Status: no sender',
  // To names a group without members.
  '15 : no recipient',
  '61 : no recipient',
  '150 test: no recipient',
  '585 test message (should fail) 3: no recipient',
  '816 I-D ACTION:draft-ietf-mboned-mix-00.txt: no recipient',
  '1176 test message 1: no recipient',
  '1176 test message 1: no recipient',
  '2391 email delivery error: no recipient',
  '2391 email delivery error: no recipient',
  '2392 email delivery error: no recipient',
  '11224 Western Union Swift Money Transfer: no recipient',
  // Its bytes are no text in any charset, or were U+FFFD when it was sent.
  '311 ´!: unreadable characters',
  '755 Impress your clients with a business phone\ufffd\ufffd\ufffd: unreadable characters',
  // Its parts are empty.
  '157 : no text',
  '579 : no text',
  '646 Lyrics: no text',
];

interface Stored {
  size: number;
  head: string;
  hasBody: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the record as a client sees it
  record: any;
}

forEachEngine((engine) => {
  test('every message of the corpus is imported and shown as people expect', {
    skip: NO_CORPUS,
  }, async (t) => {
    const app = await startApp(engine);
    t.after(() => app.stop());
    const report = await importMail(app, ...['mail', 'mbox'].map((folder) => `${CORPUS}/${folder}`));
    const strays = report.skipped.filter(({ source }) => /\.(eml|mbox)/.test(source));
    assert.deepEqual(strays, []);
    assert.equal(report.added, globSync(`${CORPUS}/mail/*.eml`).length + (await messagesInMailboxes()));
    const odd = (await stored(app)).flatMap((message) =>
      oddities(message).map((what) => `${message.size} ${message.record.subject}: ${what}`),
    );
    assert.deepEqual(odd.sort(), [...LOOKED_AT].sort());
  });
});

async function messagesInMailboxes(): Promise<number> {
  let count = 0;
  for (const path of globSync(`${CORPUS}/mbox/*.mbox`)) {
    for await (const { kind } of splitMbox(createReadStream(path))) if (kind === 'message') count++;
  }
  return count;
}

async function stored({ services }: TestApp): Promise<Stored[]> {
  const rows = await services.database.read((tx) =>
    tx
      .selectFrom('messages as m')
      .innerJoin('message_contents as c', 'c.number', 'm.number')
      .select(['m.summary', 'c.record', 'c.raw', 'c.size'])
      .where('c.raw', 'is not', null)
      .execute(),
  );
  return rows.map(({ summary, record, raw, size }) => {
    const text = Buffer.from(raw ?? []).toString('latin1');
    const [head = ''] = text.split(/\r?\n\r?\n|\r\r/, 1);
    return {
      size,
      head: head.replace(/\r\n?|\n/g, '\n').replace(/\n(?=[ \t])/g, ' '),
      hasBody: text.length > head.length + 10,
      record: JSON.parse(`{${summary},${record}}`),
    };
  });
}

/** What of a message is not as its plain headers make one expect. */
function oddities({ head, hasBody, record }: Stored): string[] {
  const header = (name: string) =>
    new RegExp(`^${name}[ \t]*:[ \t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const { subject, from, to, text, html, attachments, date } = record;
  const shown = [subject, from, ...to].join('\n');
  const checks: Record<string, boolean> = {
    'no subject': header('subject') !== '' && subject === '',
    'no sender': header('from') !== '' && from === '',
    'no recipient': header('to') !== '' && to.length === 0,
    'an encoded word': /=\?[^?\s]+\?[bq]\?/i.test(shown),
    'unreadable characters': shown.includes('\ufffd'),
    'much unreadable text': text.split('\ufffd').length > 4,
    'no text': hasBody && `${text}${html}`.trim() === '' && attachments.length === 0,
    'another time': date < '1970' || date >= '2100',
  };
  return Object.keys(checks).filter((what) => checks[what]);
}
