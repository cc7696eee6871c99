/** Whom a message names, read by the parsers of others from what is shown. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import addressparser from 'nodemailer/lib/addressparser';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { inTurns, NO_CORPUS, realMessages } from './mail-bytes.ts';
import { hostileSenders, readStrictly, realSenders } from './mail-senders.ts';
import { append, folderOf } from './mail-world.ts';

/** From headers that were written to be misread, and the address that each names. */
const HOSTILE: [from: string, address: string][] = [
  ['"Müller, Söhne GmbH" <r@mueller.example>', 'r@mueller.example'],
  ['"Acme <billing@acme.example>" <mallory@evil.example>', 'mallory@evil.example'],
  ['"billing@acme.example" <mallory@evil.example>', 'mallory@evil.example'],
  ['=?utf-8?q?Acme_=3Cbilling=40acme.example=3E?= <mallory@evil.example>', 'mallory@evil.example'],
  ['=?utf-8?q?=22Acme=22_=3Cbilling=40acme.example=3E=2C?= <mallory@evil.example>', 'mallory@evil.example'],
  ['"billing@acme.example, Acme" <mallory@evil.example>', 'mallory@evil.example'],
  ['"Acme\\" <billing@acme.example> \\"" <mallory@evil.example>', 'mallory@evil.example'],
  ['"back\\\\slash\\\\" <mallory@evil.example>', 'mallory@evil.example'],
  ['"Group: billing@acme.example;" <mallory@evil.example>', 'mallory@evil.example'],
  ['"(comment" <mallory@evil.example>', 'mallory@evil.example'],
  ['"comment) [x" <mallory@evil.example>', 'mallory@evil.example'],
  ['"J. Q. Public" <mallory@evil.example>', 'mallory@evil.example'],
  ['"渡辺, 太郎" <mallory@evil.example>', 'mallory@evil.example'],
  // Encoded words within an address are none.
  ['Acme <=?utf-8?q?acme=40a.example=3E?=m@evil.example>', '=?utf-8?q?acme=40a.example=3E?=m@evil.example'],
  ['Acme <=?utf-8?q?acme=40a.example?=@evil.example>', '=?utf-8?q?acme=40a.example?=@evil.example'],
  ['=?utf-8?b?YUBiLmV4YW1wbGUA?=@evil.example', '=?utf-8?b?YUBiLmV4YW1wbGUA?=@evil.example'],
  ['Acme <=?utf-8?q?billing=40acme.example?=>', 'billing@acme.example'],
];

const PYTHON = `
import json, sys
from email.utils import parseaddr
print(json.dumps([list(parseaddr(text)) for text in json.load(sys.stdin)]))
`;

/** What Python's email.utils reads in each text: name and address; undefined where there is no Python. */
function readByPython(texts: readonly string[]): [string, string][] | undefined {
  try {
    return JSON.parse(
      execFileSync('python3', ['-c', PYTHON], { input: JSON.stringify(texts), encoding: 'utf8' }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What nodemailer reads in each text. */
function readByNodemailer(text: string): [string, string] {
  const [first] = addressparser(text, { flatten: true });
  return [first?.name ?? '', first?.address ?? ''];
}

/** Neither parser takes such addresses, in whichever form they are written. */
const PLAIN = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/;

forEachEngine((engine) => {
  describe('addresses that programs read', () => {
    let app: TestApp;
    let archive: string;
    before(async () => {
      app = await startApp(engine);
      archive = await folderOf(app, 'archive');
    });
    after(() => app.stop());

    const assertReadAlike = (shown: readonly { from: string; name: string; address: string }[]) => {
      const python = readByPython(shown.map(({ from }) => from));
      for (const [i, { from, name, address }] of shown.entries()) {
        if (python) assert.deepEqual(python[i], [name, address], `Python reads ${from}`);
        assert.equal(readByNodemailer(from)[1], address, `nodemailer reads ${from}`);
      }
    };

    it('a name that looks like an address misleads no parser (MAIL-23, MAIL-95, MAIL-96, MAIL-115)', async () => {
      const shown = [];
      for (const [written, address] of HOSTILE) {
        const { id, from } = await append(app, archive, `From: ${written}\r\nTo: ${written}\r\n\r\n`);
        const record = (await app.get(`/v1/messages/${id}`)).json.data;
        assert.equal(record.addresses.from[0].address, address);
        assert.deepEqual(record.addresses.to, record.addresses.from);
        assert.deepEqual(record.to, [from]);
        shown.push({ from, name: record.addresses.from[0].name, address });
      }
      assertReadAlike(shown);
    });

    it('the senders of real messages are read by others as they are told (MAIL-95, MAIL-96)', async () => {
      const shown: { from: string; name: string; address: string }[] = [];
      await inTurns(realMessages(), 8, async ([, path]) => {
        const { id } = await append(app, archive, readFileSync(path));
        const { from, addresses } = (await app.get(`/v1/messages/${id}`)).json.data;
        const [sender = addresses.sender[0]] = addresses.from;
        if (sender && PLAIN.test(sender.address)) shown.push({ from, ...sender });
      });
      assert.ok(shown.length >= 10);
      assertReadAlike(shown);
    });

    it('of a thousand senders, real and hostile, three parsers read the address that the message names (MAIL-23, MAIL-95)', {
      skip: NO_CORPUS,
    }, async () => {
      const real: [header: Buffer, address?: string][] = realSenders().map((header) => [header]);
      const hostile = hostileSenders(1_000 - Math.min(real.length, 500));
      assert.ok(real.length > 400 && real.length + hostile.length >= 1_000, `${real.length} real senders`);
      const shown: { from: string; address: string }[] = [];
      await inTurns([...real, ...hostile], 8, async ([header, address]) => {
        const raw = Buffer.concat([Buffer.from('From: '), header, Buffer.from('\r\n\r\n')]);
        const { id } = await append(app, archive, raw);
        const { from, addresses } = (await app.get(`/v1/messages/${id}`)).json.data;
        const [sender] = addresses.from;
        if (address !== undefined) assert.equal(sender?.address, address, header.toString());
        if (sender && PLAIN.test(sender.address)) shown.push({ from, address: sender.address });
      });
      assert.ok(shown.length >= 950, `${shown.length} have an address that every parser takes`);
      const python = readByPython(shown.map(({ from }) => from));
      for (const [i, { from, address }] of shown.entries()) {
        if (python) assert.equal(python[i]?.[1], address, `Python reads ${from}`);
        assert.equal(readByNodemailer(from)[1], address, `nodemailer reads ${from}`);
        assert.equal(readStrictly(from), address, `a strict parser reads ${from}`);
      }
    });

    it('everyone whom a message names is told by name and address (MAIL-96)', async () => {
      const raw = [
        'From: A <a@x.test>, B <b@x.test>',
        'Sender: "S, T" <s@x.test>',
        'To: group: c@x.test, D <d@x.test>;',
        'Cc: Only Name',
        'Reply-To: r@x.test (R)',
      ].join('\r\n');
      const { id, from } = await append(app, archive, `${raw}\r\n\r\n`);
      assert.equal(from, 'A <a@x.test>');
      const { addresses } = (await app.get(`/v1/messages/${id}`)).json.data;
      assert.deepEqual(addresses, {
        from: [
          { name: 'A', address: 'a@x.test' },
          { name: 'B', address: 'b@x.test' },
        ],
        sender: [{ name: 'S, T', address: 's@x.test' }],
        to: [
          { name: '', address: 'c@x.test' },
          { name: 'D', address: 'd@x.test' },
        ],
        cc: [{ name: 'Only Name', address: '' }],
        bcc: [],
        reply_to: [{ name: 'R', address: 'r@x.test' }],
      });
    });

    it('blind recipients are told to the sender (MAIL-70, MAIL-96)', async () => {
      const body = { to: ['owner@localhost'], bcc: ['"O, P" <owner@localhost>'], text: 'x' };
      const { id } = (await app.post('/v1/messages', body)).json.data;
      const { addresses, bcc } = (await app.get(`/v1/messages/${id}`)).json.data;
      assert.deepEqual(addresses.bcc, [{ name: 'O, P', address: 'owner@localhost' }]);
      assert.deepEqual(bcc, ['"O, P" <owner@localhost>']);
    });
  });
});
