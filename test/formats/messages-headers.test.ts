import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  formatAddress,
  parseAddresses,
  plainAddress,
  readFormatted,
} from '../../src/formats/messages/addresses.ts';
import { parseDate, parseReceivedDate } from '../../src/formats/messages/dates.ts';
import { decodeHeader } from '../../src/formats/messages/encoded-words.ts';
import { parseIds } from '../../src/formats/messages/message-headers.ts';
import { parameterText, parseStructured } from '../../src/formats/messages/parameters.ts';

/** One character for each byte, as header fields are read. */
function raw(text: string, charset: BufferEncoding = 'utf8'): string {
  return Buffer.from(text, charset).toString('latin1');
}

const ADDRESSES: [written: string, shown: string[]][] = [
  ['joe@example.com', ['joe@example.com']],
  ['Joe <joe@example.com>', ['Joe <joe@example.com>']],
  ['"Joe Q. Public" <joe@example.com>', ['Joe Q. Public <joe@example.com>']],
  ['"Giant; \\"Big\\" Box" <box@example.net>', ['Giant; "Big" Box <box@example.net>']],
  ['Doe, John <john@example.com>', ['Doe, John <john@example.com>']],
  [
    'a@example.com, "b" <b@example.com>; c@example.com',
    ['a@example.com', 'b <b@example.com>', 'c@example.com'],
  ],
  ['A Group:Ed <ed@x.test>,joe@y.test;, z@z.test', ['Ed <ed@x.test>', 'joe@y.test', 'z@z.test']],
  ['undisclosed-recipients:;', []],
  ['nsb@example.com (Nathaniel Borenstein)', ['Nathaniel Borenstein <nsb@example.com>']],
  ['<nsb@example.com> (Nathaniel)', ['Nathaniel <nsb@example.com>']],
  ['Mary <@machine.tld,@b.tld:mary@example.net>', ['Mary <mary@example.net>']],
  ['joe @ example . org', ['joe@example.org']],
  ['<jdoe@machine(comment).  example>', ['jdoe@machine.example']],
  ['"john doe"@example.com', ['"john doe"@example.com']],
  ['Big Bug bb@bug.com', ['Big Bug <bb@bug.com>']],
  ['a@example.com b@example.com', ['a@example.com', 'b@example.com']],
  ['x@y.test [mailto:x@y.test]', ['x@y.test <x@y.test>']],
  ['root', ['root']],
  ['Undisclosed Recipients', ['Undisclosed Recipients']],
  ['MAILER DAEMON <>', ['MAILER DAEMON']],
  ['<>', []],
  ['', []],
  ['joe@[IPv6:2001:db8::1]', ['joe@[IPv6:2001:db8::1]']],
  ['test1@local>', ['test1@local']],
  ['First" M. "Last <u@example.org>', ['First M. Last <u@example.org>']],
  ['=?ISO-8859-1?Q?Andr=E9?= Pirard <p@example.org>', ['André Pirard <p@example.org>']],
  ['"=?utf-8?Q?Fran=C3=A7ois?=" <f@example.org>', ['François <f@example.org>']],
  ['=?utf-8?Q?Doe,_John?= <j@example.org>', ['Doe, John <j@example.org>']],
  ['Jason (=?GB2312?Q?=C0=EE?=) <j@example.org>', ['Jason <j@example.org>']],
  ['j@example.org (=?GB2312?Q?=C0=EE?=)', ['李 <j@example.org>']],
  ['Dømi <dømi@xn--dmi-0na.fo>', ['Dømi <dømi@xn--dmi-0na.fo>']],
  ['à <à@example.org>', ['à <à@example.org>']],
  ['用户 <用户@例子.广告>', ['用户 <用户@例子.广告>']],
  ['"broken <a@example.org>, b@example.org', ['broken <a@example.org>', 'b@example.org']],
  ['Joe <joe@example.org', ['Joe <joe@example.org>']],
];

describe('addresses', () => {
  for (const [written, shown] of ADDRESSES) {
    it(`addresses are read in ${JSON.stringify(written)}`, () => {
      assert.deepEqual(parseAddresses(raw(written)).map(plainAddress), shown);
    });
  }

  it('reads bytes that are not UTF-8 as windows-1252', () => {
    const [first] = parseAddresses(raw('J\u00fcrgen <j@example.org>', 'latin1'));
    assert.deepEqual(first, { name: 'Jürgen', address: 'j@example.org' });
  });

  it('an address is read back from what is shown of it, whatever its name (MAIL-95)', () => {
    const name = fc
      .string({ unit: fc.constantFrom(...'aä渡 .,;:<>@()[]"\\'.split('')), maxLength: 20 })
      .map((text) => text.replace(/ +/g, ' ').trim());
    const word = fc.stringMatching(/^[A-Za-z]{1,8}$/);
    fc.assert(
      fc.property(name, word, word, (shown, local, domain) => {
        const address = { name: shown, address: `${local}@${domain}` };
        assert.deepEqual(parseAddresses(raw(formatAddress(address))), [address]);
        assert.deepEqual(readFormatted(formatAddress(address)), address);
      }),
    );
  });

  it('a name is quoted where RFC 5322 needs it, and only there (MAIL-95)', () => {
    const shown: [string, string][] = [
      ['Ada Lovelace', 'Ada Lovelace'],
      ["Zoë O'Neill-Ø", "Zoë O'Neill-Ø"],
      ['Müller, Söhne', '"Müller, Söhne"'],
      ['J. Doe', '"J. Doe"'],
      ['a "b" \\ c', '"a \\"b\\" \\\\ c"'],
      ['billing@acme.example', '"billing@acme.example"'],
      ['Acme <billing@acme.example>', '"Acme <billing@acme.example>"'],
    ];
    for (const [name, quoted] of shown) {
      assert.equal(formatAddress({ name, address: 'x@y.test' }), `${quoted} <x@y.test>`);
      assert.equal(formatAddress({ name, address: '' }), quoted);
    }
  });

  it('what an earlier version has shown is read back, too (MAIL-100)', () => {
    for (const [shown, name, address] of [
      ['Müller, Söhne <r@x.test>', 'Müller, Söhne', 'r@x.test'],
      ['Acme <a@b.test> <m@e.test>', 'Acme <a@b.test>', 'm@e.test'],
      ['a@b.test', '', 'a@b.test'],
      ['root', '', 'root'],
      ['Undisclosed Recipients', 'Undisclosed Recipients', ''],
    ] as const)
      assert.deepEqual(readFormatted(shown), { name, address });
  });

  it('never throws, and never shows line ends or NUL', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'a@<>"(),;:.\\[] \t=?Q'.split(''), '\xe4', '\0'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(hostile, (text) => {
        for (const address of parseAddresses(text)) {
          const shown = formatAddress(address);
          assert.ok(!/[\r\n\0]/.test(shown) && shown.isWellFormed() && shown !== '');
        }
      }),
    );
  });
});

const DATES: [written: string, iso: string | null][] = [
  ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
  ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06.000Z'],
  ['Mon, 09 Feb 04 23:17:44 EST', '2004-02-10T04:17:44.000Z'],
  ['Fri, 21 Nov 1997 09(comment):   55  :  06 -0600', '1997-11-21T15:55:06.000Z'],
  ['Wed, 20 Sep 1995 00:19:00 (EDT) -0400', '1995-09-20T04:19:00.000Z'],
  ['Wed, 20 Dec 95 19:59 CST', '1995-12-21T01:59:00.000Z'],
  ['Tue, 22 Jan 2002 14:35:28 UT', '2002-01-22T14:35:28.000Z'],
  ['Mon, 21 Aug 95 13:30:57 -600', '1995-08-21T19:30:57.000Z'],
  ['Tue, 17 Jul 2012 22:23:35.882 0000', '2012-07-17T22:23:35.882Z'],
  ['Wed 29 May 2019 06:09:22 PM EDT', '2019-05-29T22:09:22.000Z'],
  ['May 8, 2005 1:17 PM', '2005-05-08T13:17:00.000Z'],
  ['Wed, Feb 9, 2011 at 11:54 AM', '2011-02-09T11:54:00.000Z'],
  ['2016-07-19 11:54:24 +0200', '2016-07-19T09:54:24.000Z'],
  ['2017-11-23T11:01:56Z', '2017-11-23T11:01:56.000Z'],
  ['Wed Jun  1 04:17:05 2016', '2016-06-01T04:17:05.000Z'],
  ['Fri Feb 22 23:00:00 2008 +0200', '2008-02-22T21:00:00.000Z'],
  ["'Thu, 29 Apr 2012 23:34:45 +0000'", '2012-04-29T23:34:45.000Z'],
  ['Fri, 12 June 2025 23:42:00 GMT+0200', '2025-06-12T21:42:00.000Z'],
  ['1 Jan 2000 12:00:00 XYZ', '2000-01-01T12:00:00.000Z'],
  ['1 Jan 103 12:00:00 +0000', '2003-01-01T12:00:00.000Z'],
  ['31 Dec 1998 23:59:60 +0000', '1999-01-01T00:00:00.000Z'],
  ['Thu, 13 Feb 1969 23:32 -0330', null],
  ['1 Jan 10000 00:00:00 +0000', null],
  ['30 Feb 2020 00:00:00 +0000', null],
  ['Wed, 15 Dec 2010    59:10 -0500', null],
  ['Thu Jan 01 00:00:10 +0000', null],
  ['Whenever', null],
  ['', null],
];

describe('dates', () => {
  for (const [written, iso] of DATES) {
    it(`a date is read in ${JSON.stringify(written)}`, () => {
      const at = parseDate(written);
      assert.equal(at === null ? null : new Date(at).toISOString(), iso);
    });
  }

  it('takes the date of Received after its last semicolon, outside comments', () => {
    const written = 'from a (b; 1 Jan 2001 00:00:00 +0000) by c; id x; 2 Jan 2002 00:00:00 +0000 (x; y)';
    assert.equal(parseReceivedDate(written), Date.UTC(2002, 0, 2));
  });

  it('takes the date of Received from a comment that is not closed', () => {
    const written = 'from a (b) (by c id x for <d@e>; 2 Jan 2002 00:00:00 +0000';
    assert.equal(parseReceivedDate(written), Date.UTC(2002, 0, 2));
  });

  it('reads back what RFC 5322 writers write', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 0) / 1000 }), (seconds) => {
        const at = seconds * 1000;
        assert.equal(parseDate(new Date(at).toUTCString().replace('GMT', '+0000')), at);
      }),
    );
  });
});

const IDS: [written: string, ids: string[]][] = [
  ['<a@b>', ['<a@b>']],
  ['<a@b> <c@d>\t<a@b>', ['<a@b>', '<c@d>']],
  ['<a@b><c@d>', ['<a@b>', '<c@d>']],
  ['201002191008@company.com', ['<201002191008@company.com>']],
  ['102.10200000000105', ['<102.10200000000105>']],
  ['<xxxx>', ['<xxxx>']],
  ['<1234   @   local(blah)  .machine .example>', ['<1234@local.machine.example>']],
  ['<2009@dottiness> (Lars of "Tue, 17 Nov")', ['<2009@dottiness>']],
  ['Your message of "Tue, 17 Nov 2009" <a@b>', ['<a@b>']],
  ['Message from joe@example.com of Monday', []],
  ['=?us-ascii?Q?=3Ca=40b=3E?=', ['<a@b>']],
  ['<=?us-ascii?Q?a?=@b> <a@b>', ['<=?us-ascii?Q?a?=@b>', '<a@b>']],
  ['<<a@b>>', ['<a@b>']],
  ['<a@b', ['<a@b>']],
  ['<>', []],
];

describe('message ids', () => {
  for (const [written, ids] of IDS) {
    it(`message ids are read in ${JSON.stringify(written)}`, () => assert.deepEqual(parseIds(written), ids));
  }
});

const WORDS: [written: string, text: string][] = [
  ['=?utf-8?Q?a?= =?utf-8?Q?b?=', 'ab'],
  ['=?utf-8?Q?a?= b', 'a b'],
  ['=?utf-8?B?w?= =?utf-8?B?w7w=?=', 'ü'],
  ['=?utf-8?Q?=C3?= =?utf-8?Q?=BC?=', 'ü'],
  ['=?iso-2022-jp?B?GyRCJF8bKEI=?= =?iso-2022-jp?B?GyRCJF8bKEI=?=', 'みみ'],
  ['=?us-ascii*en?Q?hello_world?=', 'hello world'],
  ['=?ks_c_5601-1987?B?seggx/bB+A==?=', '김 현진'],
  ['=?X-unknown?Q?caf=E9?=', 'café'],
  ['=?iso-8859-1?Q?caf=C3=A9?=', 'café'],
  ['=?utf-8?Q?a', '=?utf-8?Q?a'],
  ['=?utf-8?X?a?=', '=?utf-8?X?a?='],
  ['prefix=?utf-8?Q?=C3=BC?=suffix', 'prefixüsuffix'],
  ['=?utf-8?Q?line=0D=0Abreak=00?=', 'line break'],
];

describe('encoded words', () => {
  for (const [written, text] of WORDS) {
    it(`encoded words are read in ${JSON.stringify(written)}`, () =>
      assert.equal(decodeHeader(written), text));
  }

  it('reads bytes over 127 within a word in the charset of the word', () => {
    assert.equal(decodeHeader('=?iso-8859-1?Q?Fr\xf6sche?='), 'Frösche');
  });

  it('keeps text that is not encoded', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-<>-~]{1,20}$/), (text) => assert.equal(decodeHeader(text), text)),
    );
  });
});

const FILENAMES: [written: string, name: string][] = [
  ['attachment; filename=plain.txt', 'plain.txt'],
  ['attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
  ['attachment; filename=My File (1).pdf', 'My File (1).pdf'],
  ["attachment; filename*=utf-8''na%C3%AFve.txt", 'naïve.txt'],
  ["attachment; filename*0*=utf-8''na%C3; filename*1*=%AFve; filename*2=.txt", 'naïve.txt'],
  ['attachment; filename*1=b.txt; filename*0=a', 'ab.txt'],
  ["attachment; filename=ascii.txt; filename*=iso-8859-1''%FC.txt", 'ü.txt'],
  ['attachment; filename="=?utf-8?B?w7wudHh0?="', 'ü.txt'],
  ['attachment; filename="open.txt', 'open.txt'],
  ['attachment;filename=a.txt;filename=b.txt', 'a.txt'],
  ['attachment filename=a.txt', 'a.txt'],
];

describe('parameters', () => {
  for (const [written, name] of FILENAMES) {
    it(`parameters are read in ${JSON.stringify(written)}`, () => {
      const { value, parameters } = parseStructured(written);
      assert.deepEqual([value, parameterText(parameters, 'filename')], ['attachment', name]);
    });
  }
});

/** What nearly all mail has is read by a shorter way, and must say what the longer one does. */
describe('usual headers', () => {
  const word = fc.stringMatching(/^[\w.+-]{1,12}$/);
  const address = fc.tuple(word, word).map(([local, domain]) => `<${local}@${domain}>`);
  const mailbox = fc
    .tuple(fc.array(word, { maxLength: 3 }), address)
    .map(([words, at]) => [...words, at].join(' '));

  it('name the mailboxes that they name with other blanks', () => {
    fc.assert(
      fc.property(fc.array(mailbox, { minLength: 1, maxLength: 4 }), (list) => {
        assert.deepEqual(parseAddresses(list.join(', ')), parseAddresses(list.join(' ,  ')));
      }),
    );
  });

  it('name the ids that they name with a comment', () => {
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 4 }), (list) => {
        assert.deepEqual(parseIds(list.join(' ')), parseIds(`${list.join(' ')} (ids)`));
      }),
    );
  });

  it('state the times that they state with a comment', () => {
    const number = (max: number) =>
      fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
    const zone = fc.oneof(
      fc.constant('GMT'),
      fc.tuple(fc.constantFrom('+', '-'), number(25), number(61)).map((parts) => parts.join('')),
    );
    const month = fc.constantFrom('Jan', 'Feb', 'Sep', 'Dec', 'Foo');
    const year = fc.integer({ min: 1960, max: 2100 });
    const time = fc.tuple(number(25), number(61), number(61)).map((parts) => parts.join(':'));
    fc.assert(
      fc.property(number(32), month, year, time, zone, (...parts) => {
        const date = `Mon, ${parts.join(' ')}`;
        assert.equal(parseDate(date), parseDate(`${date} (said so)`));
      }),
      { numRuns: 1_000 },
    );
  });
});
