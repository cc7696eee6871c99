import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { plainAddress } from '../../src/formats/messages/addresses.ts';
import { MAX_SHOWN_BODY, type ParsedMessage } from '../../src/formats/messages/message.ts';
import { parseMessage, parseMessageStream, readAttachment } from '../../src/formats/messages/parse.ts';
import { liveBytes } from '../live-bytes.ts';
import { fixture, fixtures, inPieces } from './messages-corpus-files.ts';

function parse(...lines: string[]): Promise<ParsedMessage> {
  return parseMessage(Buffer.from(lines.join('\r\n'), 'latin1'));
}

function shown({ from, subject, sentAt, text, attachments }: ParsedMessage) {
  return {
    from: from ? plainAddress(from) : '',
    subject,
    sentAt: sentAt === null ? null : new Date(sentAt).toISOString(),
    text: text.slice(0, 20),
    attachments: attachments.map(({ filename, mimeType, size }) => `${filename} ${mimeType} ${size}`),
  };
}

const FIXTURES: Record<string, ReturnType<typeof shown>> = {
  'mikelmail__multi_charset__japanese_iso_2022.eml': {
    from: 'Mikel Lindsaar <raasdnil@gmail.com>',
    subject: 'まみむめも',
    sentAt: null,
    text: 'すみません。\n\n',
    attachments: [],
  },
  'mikelmail__multi_charset__ks_c_5601-1987.eml': {
    from: 'from@example.com',
    subject: 'test',
    sentAt: '2014-05-28T08:18:19.000Z',
    text: '스티해\n',
    attachments: [],
  },
  'mikelmail__rfc2822__example13.eml': {
    from: 'John Doe <jdoe@machine.example>',
    subject: 'Saying Hello',
    sentAt: '1997-11-21T15:55:06.000Z',
    text: 'This is a message ju',
    attachments: [],
  },
  'mime4j__testmsgs__obsolete.eml': {
    from: '',
    subject: 'The obsolete syntax allow spaces before the colon and also empty lines in folding.',
    sentAt: null,
    text: 'body\n',
    attachments: [],
  },
  'webklex__messages__embedded_email.eml': {
    from: 'demo@cerstor.cz',
    subject: 'embedded message',
    sentAt: '2016-01-29T13:25:40.000Z',
    text: 'email that contains ',
    attachments: ['demo.eml message/rfc822 865'],
  },
  'sisimai__mac__lhost-amavis-01.eml': {
    from: 'Content-filter at neko1.example.com <postmaster@neko1.example.com>',
    subject: 'Undeliverable mail, MTA-BLOCKED',
    sentAt: '2010-04-29T14:34:45.000Z',
    text: 'The message WAS NOT ',
    attachments: ['dsn_status message/delivery-status 508', 'header text/rfc822-headers 463'],
  },
  'rspamd__messages__fws_fn.eml': {
    from: 'admin@aaa.example.com',
    subject: 'Test content type',
    sentAt: '2018-07-17T16:06:01.000Z',
    text: 'Hello world',
    attachments: ['attachment-1.jpg image/jpeg 90'],
  },
  'postalmime__fixtures__bounce.eml': {
    from: 'Mail Delivery System <MAILER-DAEMON@messagingengine.com>',
    subject: 'Undelivered Mail Returned to Sender',
    sentAt: '2022-10-10T05:37:22.000Z',
    text: 'This is an automated',
    attachments: ['attachment-1.txt message/delivery-status 431', 'Proovikiri.eml message/rfc822 3939'],
  },
  'webklex__messages__issue-410.eml': {
    from: 'from@there.com',
    subject: '☆第132号　「ガーデン&エクステリア」専門店のためのＱ&Ａサロン　【月刊エクステリア・ワーク】',
    sentAt: '2017-09-13T11:05:45.000Z',
    text: '',
    attachments: [
      '☆第132号　「ガーデン&エクステリア」専門店のためのＱ&Ａサロン　【月刊エクステリア・ワーク】 text/plain 3',
    ],
  },
  'zbateson__emails__m0001.eml': {
    from: 'Doug Sauder <doug@example.com>',
    subject: 'Die Hasen und die Frösche (Microsoft Outlook 00)',
    sentAt: '2000-05-17T23:08:29.000Z',
    text: 'Die Hasen und die Fr',
    attachments: [],
  },
};

describe('real messages', () => {
  for (const [name, expected] of Object.entries(FIXTURES)) {
    it(`the message ${name} is read whole`, async () =>
      assert.deepEqual(shown(await parseMessage(fixture(name))), expected));
  }

  it('sorts the example of RFC 8621 4.1.4', async () => {
    const message = await parseMessage(fixture('mailparser-rs__rfc__007.eml'));
    assert.equal(message.text, 'A\nB\nD\nK');
    assert.match(message.html, /A.*E.*K/s);
    assert.doesNotMatch(message.html, /B|D/);
    assert.deepEqual(
      message.attachments.map(({ mimeType }) => mimeType),
      ['image/jpeg', 'image/jpeg', 'image/jpeg', 'application/x-excel', 'message/rfc822'],
    );
  });

  for (const { name, bytes } of fixtures('.eml')) {
    it(`the message ${name} is read alike in any pieces`, async () => {
      const whole = await parseMessage(bytes);
      for (const size of bytes.length < 1000 ? [1, 2, 7, 100] : [61, 1000]) {
        assert.deepEqual(await parseMessageStream(inPieces(bytes, size)), whole);
      }
    });
  }
});

describe('headers of a message', () => {
  it('come in order, decoded, with the names in lower case', async () => {
    const { headers } = await parse('X-A: 1', 'Subject: =?utf-8?Q?=C3=BC?=', ' folded', 'x-a: 2', '', '');
    assert.deepEqual(headers, [
      { name: 'x-a', value: '1' },
      { name: 'subject', value: 'ü folded' },
      { name: 'x-a', value: '2' },
    ]);
  });

  it('give every record field', async () => {
    const message = await parse(
      'Received: from a by b; Wed, 2 Jan 2002 00:00:00 +0000',
      'Received: from c by d; Tue, 1 Jan 2002 00:00:00 +0000',
      'Message-ID: <1@a>',
      'In-Reply-To: <0@a>',
      'References: <x@a> <0@a>',
      'From: A <a@a>',
      'Sender: S <s@a>',
      'To: B <b@a>',
      'Cc: C <c@a>',
      'Bcc: D <d@a>',
      'Reply-To: R <r@a>',
      'Date: Tue, 1 Jan 2002 12:00:00 +0000',
      '',
      'text',
    );
    const { headers: _headers, ...record } = message;
    assert.deepEqual(record, {
      messageId: '<1@a>',
      inReplyTo: ['<0@a>'],
      references: ['<x@a>', '<0@a>'],
      subject: '',
      from: { name: 'A', address: 'a@a' },
      senders: { from: [{ name: 'A', address: 'a@a' }], sender: [{ name: 'S', address: 's@a' }] },
      to: [{ name: 'B', address: 'b@a' }],
      cc: [{ name: 'C', address: 'c@a' }],
      bcc: [{ name: 'D', address: 'd@a' }],
      replyTo: [{ name: 'R', address: 'r@a' }],
      sentAt: Date.UTC(2002, 0, 1, 12),
      receivedAt: Date.UTC(2002, 0, 2),
      text: 'text',
      html: '',
      attachments: [],
      truncated: false,
    });
  });

  it('take the sender where From has no mailbox', async () => {
    const { from } = await parse('From: <>', 'Sender: S <s@a>', '', '');
    assert.deepEqual(from, { name: 'S', address: 's@a' });
  });

  it('skip Received headers without a readable date', async () => {
    const { receivedAt } = await parse('Received: x; soon', 'Received: x; 1 Jan 2002 00:00:00 +0000', '', '');
    assert.equal(receivedAt, Date.UTC(2002, 0, 1));
  });

  it('end at a line that is no field, and go on after a broken one', async () => {
    assert.equal((await parse('Subject: a', 'Hello there', 'again')).text, 'Hello there\nagain');
    const broken = await parse('X-Long: a', 'bcd', 'Subject: s', '', 'text');
    assert.deepEqual([broken.headers[0]?.value, broken.subject, broken.text], ['a bcd', 's', 'text']);
  });

  it('skip a separator of a mailbox file', async () => {
    assert.equal((await parse('From a@b Mon Jan 1 00:00:00 2001', 'Subject: s', '', '')).subject, 's');
    assert.equal((await parse('From : A <a@b>', '', '')).from?.address, 'a@b');
  });

  it('are read in the charset of the text where they are not UTF-8', async () => {
    const raw = Buffer.from(
      'Subject: \xcf\xf0\xe8\r\nContent-Type: text/plain; charset=windows-1251\r\n\r\n',
      'latin1',
    );
    assert.equal((await parseMessage(raw)).subject, 'При');
  });
});

const CHARSETS: [label: string, bytes: string, text: string][] = [
  ['utf-8', '\xc3\xbc', 'ü'],
  ['UTF8', '\xc3\xbc', 'ü'],
  ['us-ascii', '\xc3\xbc', 'ü'],
  ['us-ascii', '\xfc', 'ü'],
  ['utf-8', 'caf\xe9', 'café'],
  ['utf-8', '\xef\xbf\xbd', '\ufffd'],
  ['iso-8859-1', '\x93\xfc\x94', '“ü”'],
  ['iso-8859-1', 'f\xc3\xbcr 5 \xe2\x82\xac', 'für 5 €'],
  ['windows-1252', '\xe2\x80\x9e\xc3\xbc\xe2\x80\x9c', '„ü“'],
  ['iso-8859-1', 'N\xc3O', 'NÃO'],
  ['iso-8859-15', '\xa4', '€'],
  ['iso-8859-16', '\xa4', '€'],
  ['koi8-r', '\xf0\xd2\xc9', 'При'],
  ['windows-1251', '\xcf\xf0\xe8', 'При'],
  ['cp437', '\x81', 'ü'],
  ['gbk', '\xc0\xee', '李'],
  ['gb18030', '\x81\x30\x81\x30', '\u0080'],
  ['big5', '\xa7\xf5', '李'],
  ['euc-kr', '\xb1\xe8', '김'],
  ['ks_c_5601-1987', '\xb1\xe8', '김'],
  ['shift_jis', '\x82\xdc', 'ま'],
  ['euc-jp', '\xa4\xde', 'ま'],
  ['iso-2022-jp', '\x1b$B$^\x1b(B', 'ま'],
  ['iso-2022-jp', '\xa4\xde', 'ま'],
  ['', '\x1b$B$^\x1b(B', 'ま'],
  ['iso-2022-kr', '\x1b$)C\x0e1h\x0f!', '김!'],
  ['hz-gb-2312', '~{@n~}!', '李!'],
  ['utf-7', '+APw-', 'ü'],
  ['utf-16be', '\0\xfc', 'ü'],
  ['no-such-charset', '\xc3\xbc', 'ü'],
  ['unknown-8bit', '\xfc', 'ü'],
];

describe('text of a message', () => {
  for (const [label, bytes, text] of CHARSETS) {
    it(`is read in ${JSON.stringify(label)}: ${text}`, async () => {
      const type = label === '' ? 'Content-Type: text/plain' : `Content-Type: text/plain; charset="${label}"`;
      assert.equal((await parse(type, '', bytes)).text, text);
    });
  }

  it('has LF line ends and no NUL', async () => {
    assert.equal((await parse('', 'a', 'b\rc\r', 'd\0')).text, 'a\nb\nc\nd');
  });

  it('is decoded from quoted-printable and base64, as far as they are right', async () => {
    const quoted = ['Content-Transfer-Encoding: quoted-printable', '', 'a=3D=', 'b =20', 'c=ZZ  ', 'd='];
    assert.equal((await parse(...quoted)).text, 'a=b  \nc=ZZ\nd');
    const encoded = ['Content-Transfer-Encoding: base64', '', 'YW==', 'Y*mM=', 'Z'];
    assert.equal((await parse(...encoded)).text, 'abc');
  });

  it('of a message in pieces keeps an equals sign before an escape, wherever a piece ends', async () => {
    const head = 'Content-Transfer-Encoding: quoted-printable\r\n\r\n';
    const bytes = Buffer.from(`${head}a==3Db= =3Dc==\r\nd`);
    for (const size of [1, 2, 3, 5, 7]) {
      assert.equal((await parseMessageStream(inPieces(bytes, size))).text, 'a==b= =c=d');
    }
  });

  it('of a message in pieces is decoded from padded lines of base64, wherever a piece ends', async () => {
    const bytes = Buffer.from('Content-Transfer-Encoding: base64\r\n\r\nYQ==\r\nYmM=\r\nZGVm\r\nZ-2*g=\r\n');
    for (const size of [1, 2, 3, 5, 7]) {
      assert.equal((await parseMessageStream(inPieces(bytes, size))).text, 'abcdefgh');
    }
  });

  it('is decoded from uuencode', async () => {
    const lines = ['Content-Transfer-Encoding: x-uuencode', '', 'begin 644 cat.txt', '#0V%T', '`', 'end'];
    assert.equal((await parse(...lines)).text, 'Cat');
  });

  it('has flowed paragraphs whole', async () => {
    const flowed = [
      'Content-Type: text/plain; format=flowed',
      '',
      'one ',
      'two',
      ' >stuffed',
      '>a ',
      '>b',
      '>> c',
      '-- ',
      'x',
    ];
    assert.equal((await parse(...flowed)).text, 'one two\n>stuffed\n> a b\n>> c\n-- \nx');
    const without = ['Content-Type: text/plain; format=flowed; delsp=yes', '', 'はじ ', 'め'].join('\r\n');
    assert.equal((await parseMessage(Buffer.from(without))).text, 'はじめ');
  });

  it('text of a message comes from the HTML where there is no plain text, or an empty one (MAIL-40)', async () => {
    const html = ['Content-Type: text/html', '', '<p>Hi &amp; bye</p><script>x</script>'];
    assert.deepEqual(await bodyOf(...html), ['Hi & bye', '<p>Hi &amp; bye</p>']);
    const empty = ['--b', '', ' ', '--b', ...html, '--b--'];
    assert.equal(
      (await bodyOf('Content-Type: multipart/alternative; boundary=b', '', ...empty))[0],
      'Hi & bye',
    );
  });

  it('reads HTML in the charset of its meta element', async () => {
    const html = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xf0';
    assert.equal((await parse('Content-Type: text/html', '', html)).html, 'П');
  });

  it('is what stands before the first part where there is none', async () => {
    assert.equal((await parse('Content-Type: multipart/mixed; boundary=b', '', 'cut off')).text, 'cut off');
  });

  it('text of a message is cut at MAX_SHOWN_BODY, between characters (MAIL-44)', async () => {
    const message = await parseMessage(Buffer.from(`\r\n${'x'.repeat(MAX_SHOWN_BODY - 1)}😀`));
    assert.equal(MAX_SHOWN_BODY, 1_048_576);
    assert.equal(message.text.length, MAX_SHOWN_BODY - 1);
    assert.ok(message.truncated && message.text.isWellFormed());
  });
});

async function bodyOf(...lines: string[]): Promise<[text: string, html: string]> {
  const { text, html } = await parse(...lines);
  return [text, html];
}

const MIXED = [
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  '--b',
  'Content-Type: multipart/related; boundary="r"',
  '',
  '--r',
  'Content-Type: text/html',
  '',
  '<img src="cid:1">',
  '--r',
  'Content-Type: image/png; name="../x/p.png"',
  'Content-ID: <1>',
  'Content-Transfer-Encoding: base64',
  '',
  'AAEC',
  '--r--',
  'epilogue',
  '--b',
  'Content-Type: text/calendar; method=REQUEST',
  '',
  'BEGIN:VCALENDAR',
  'END:VCALENDAR',
  '--b',
  'Content-Type: message/rfc822',
  '',
  'Subject: In / ner',
  '',
  '--r',
  'x',
  '--b',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'attached',
  '--b--',
];

describe('attachments', () => {
  it('attachments are listed with name, type and size, inline images and invitations among them (MAIL-42)', async () => {
    const { attachments, html } = await parse(...MIXED);
    assert.equal(html, '<img src="cid:1" />');
    assert.deepEqual(attachments, [
      { filename: 'p.png', mimeType: 'image/png', size: 3 },
      { filename: 'attachment-2.ics', mimeType: 'text/calendar', size: 30 },
      { filename: 'In - ner.eml', mimeType: 'message/rfc822', size: 27 },
      { filename: 'a.txt', mimeType: 'text/plain', size: 8 },
    ]);
  });

  it('give their decoded bytes by position', async () => {
    const raw = Buffer.from(MIXED.join('\r\n'));
    const nested = 'Subject: In / ner\r\n\r\n--r\r\nx';
    const expected = ['\0\x01\x02', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR', nested, 'attached'];
    for (const [position, bytes] of expected.entries()) {
      assert.equal((await buffer(readAttachment(raw, position))).toString('latin1'), bytes);
      const streamed = readAttachment(Readable.from(inPieces(raw, 3)), position);
      assert.equal((await buffer(streamed)).toString('latin1'), bytes);
    }
  });

  it('fail where there is none', async () => {
    await assert.rejects(buffer(readAttachment(Buffer.from(MIXED.join('\r\n')), 4)), RangeError);
  });

  it('end the source when the reader stops', async () => {
    const source = Readable.from(inPieces(Buffer.from(MIXED.join('\r\n')), 3));
    const content = readAttachment(source, 0);
    for await (const _ of content) break;
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(source.destroyed);
  });

  it('end the source when nobody begins to read', async () => {
    const source = Readable.from(inPieces(Buffer.from(MIXED.join('\r\n')), 3));
    const content = readAttachment(source, 0);
    await once(content.destroy(), 'close');
    assert.ok(source.destroyed);
  });

  it('carry any bytes', async () => {
    const content = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        async (bytes, width, size) => {
          const encoded =
            Buffer.from(bytes)
              .toString('base64')
              .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
          const head = ['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64', ''];
          const raw = Buffer.from([...head, ...encoded, ''].join('\r\n'));
          const streamed = Readable.from(inPieces(raw, size));
          assert.deepEqual(await buffer(readAttachment(streamed, 0)), Buffer.from(bytes));
        },
      ),
    );
  });
});

/** Each must be read in bounded time, and say that something was left out. */
const HOSTILE: Record<string, () => string> = {
  'multiparts 10,000 deep': () =>
    Array.from(
      { length: 10_000 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join(''),
  'a million headers': () => `${'A: b\n'.repeat(1_000_000)}\nbody`,
  'a header of 10 MB': () => `X: ${'a'.repeat(10_000_000)}\n\nbody`,
  'a header of a million lines': () => `X: a\n${' b\n'.repeat(1_000_000)}\nbody`,
  '100,000 parts': () => `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(100_000)}`,
  '100,000 addresses': () => `To: ${'Bob <bob@example.com>,\n '.repeat(100_000)}x@y\n\nbody`,
  '200,000 ids': () =>
    `References: ${Array.from({ length: 200_000 }, (_, i) => `<${i}@a>`).join('\n ')}\n\nbody`,
  'near delimiters': () => `Content-Type: multipart/mixed; boundary=bc\n\n--bc\n\n${'--b\n'.repeat(500_000)}`,
  'nested HTML': () => `Content-Type: text/html\n\n${'<div>'.repeat(150_000)}`,
};

/** Each must be read in bounded time. */
const AWKWARD: Record<string, () => string> = {
  'encoded words without end': () => `Subject: ${'=?utf-8?Q?'.repeat(25_000)}\n\n`,
  'a huge encoded word': () => `Subject: =?utf-8?B?${'QUFB'.repeat(60_000)}?=\n\n`,
  'open comments': () => `To: ${'('.repeat(250_000)}\n\n`,
  'open quotes': () => `To: ${'"\\'.repeat(120_000)}\n\n`,
  'open brackets': () => `To: ${'<"a>",'.repeat(40_000)}\n\n`,
  'many parameters': () => `Content-Type: text/plain; ${'a*0=b;'.repeat(40_000)}\n\n`,
  'blanks in quoted-printable': () =>
    `Content-Transfer-Encoding: quoted-printable\n\n${' '.repeat(5_000_000)}`,
  'padding in base64': () => `Content-Transfer-Encoding: base64\n\n${'A='.repeat(3_000_000)}`,
  'bare returns': () => `A: b\n\n${'\r'.repeat(1_000_000)}`,
};

describe('hostile messages', () => {
  for (const [name, make] of [...Object.entries(HOSTILE), ...Object.entries(AWKWARD)]) {
    it(`are read in bounded time: ${name}`, async () => {
      const raw = Buffer.from(make(), 'latin1');
      const started = performance.now();
      const message = await parseMessage(raw);
      assert.ok(performance.now() - started < 120_000);
      if (name in HOSTILE) assert.ok(message.truncated);
    });
  }

  it('leave out nothing else: the header after a long one, the text after many', async () => {
    const long = `X: ${'a'.repeat(400_000)}\nSubject: after\n\nbody`;
    const message = await parseMessage(Buffer.from(long));
    assert.deepEqual([message.subject, message.text, message.truncated], ['after', 'body', true]);
  });

  for (const type of ['application/zip', 'text/plain']) {
    it(`of 60 MiB are read in little memory: ${type}`, async () => {
      const block = Buffer.from(`${'QUJD'.repeat(19)}\r\n`.repeat(6000));
      let most = 0;
      async function* large() {
        yield Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n`);
        for (let size = 0; size < 60 * 1024 * 1024; size += block.length) {
          yield block;
          most = Math.max(most, liveBytes());
        }
      }
      const before = liveBytes();
      const message = await parseMessageStream(large());
      assert.equal(message.truncated, type === 'text/plain');
      assert.ok(most - before < 16 * 1024 * 1024, `${most - before} bytes`);
    });
  }
});
