const html = (body: string) => `Subject: HTML\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}\r\n`;
const text = (body: string, type: string) => `Subject: text\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const header = (field: string) => `${field}\r\n\r\nbody\r\n`;
const folded = (word: string, count: number) => `${word}\r\n `.repeat(count);

export const numbered = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join('');

/** As many as fit into a quarter of a header section, in each of four fields. */
const inFourFields = (unit: string) => {
  const list = unit.repeat(Math.floor(250_000 / unit.length));
  return header(['To', 'Cc', 'Bcc', 'Reply-To'].map((name) => `${name}: ${list}`).join('\r\n'));
};

/** Words in charsets that nobody knows, each in one of its own. */
const strangeWords = (name: string, count: number) =>
  `${name}: ${numbered(count, (i) => `=?${name}${i}?q?=E9?=@b,`)}`;

const parts = (type: string, all: string) => `Content-Type: ${type}; boundary=b\r\n\r\n${all}--b--\r\n`;
const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;

/** Messages that were made to cost more than their size, or to throw where they are read. */
export const hostileMessages: Readonly<Record<string, string>> = {
  'a sender of closing brackets within an encoded word': header(`From: =?utf-8?Q?@${'>'.repeat(200_000)}x?=`),
  'a recipient of escaped closing brackets': header(`To: <=?utf-8?Q?@${'=3E'.repeat(60_000)}x?=>`),
  'colons behind an address and many words': header(
    `To: ${'a '.repeat(50_000)}a@b.example ${':'.repeat(100_000)}`,
  ),
  'folds behind a long line that is no field': `Subject: x\r\n${'a'.repeat(120_000)}\r\n${folded(' b', 30_000)}\r\n\r\nbody\r\n`,
  'lists with huge numbers around many lines': html(
    `${'<ol start=-99999999999><li>'.repeat(125)}<pre>${'x\n'.repeat(30_000)}`,
  ),
  'lists around many lines in 900 KB': html(
    `${'<ol start=-99999999999><li>'.repeat(125)}<pre>${'x\n'.repeat(440_000)}`,
  ),
  'quotes around many paragraphs': html(`${'<blockquote>'.repeat(200)}${'<p>x'.repeat(14_000)}`),
  'quotes around many rules': html(`${'<blockquote>'.repeat(200)}${'<hr>'.repeat(14_000)}`),
  'a Roman number that has no numeral': html('<ol type="i" start="10000"><li>hello</ol>'),
  'Roman numbers that lead where there is no numeral': html(
    `<ol type="I" start="9990">${'<li>x'.repeat(20)}</ol>`,
  ),
  'a Roman number that is none': html(
    '<ol type="i" start="1e308"><li>x</ol><ol type="i" start="-1"><li>y</ol>',
  ),
  'a million bytes of UTF-7': text('+AAA-'.repeat(190_000), 'text/plain; charset=utf-7'),
  'a million shifts of ISO-2022-KR': text('\x0e'.repeat(900_000), 'text/plain; charset=iso-2022-kr'),
  'words in charsets of their own in five fields': header(
    [
      ...['To', 'Cc', 'Bcc', 'Reply-To'].map((name) => strangeWords(name, 9_990)),
      strangeWords('Subject', 13_000),
    ].join('\r\n'),
  ),
  'recipients in words of UTF-7': inFourFields(`=?utf-7?q?${'+AAA-'.repeat(10)}?= `),
  'recipients in words of two charsets by turns': inFourFields('=?gbk?q?=B0=A1?= =?utf-8?q?=C3=A9?= '),
  'recipients in 8-bit bytes of a message in UTF-7': `Content-Type: text/plain; charset=utf-7\r\n${inFourFields('+AAA-\xe9')}`,
  'recipients with encoded names': inFourFields('=?a?q?b?= <a@b>,'),
  'recipients of one letter': inFourFields('a,'),
  'recipients of routes without an end': inFourFields('@a:'),
  'recipients without commas': inFourFields('a@b '),
  'a recipient of many words': inFourFields('a '),
  'file names in UTF-7': parts(
    'multipart/mixed',
    numbered(4, () => part(`text/plain; name="=?utf-7?q?${'+AAA-'.repeat(50_000)}?="`, 'x')),
  ),
  'many tiny entities of HTML': parts('multipart/mixed', part('text/html', '<p>').repeat(9_900)),
  'many tiny entities of HTML as alternatives': parts(
    'multipart/alternative',
    part('text/html', '<p>').repeat(9_900),
  ),
  'many tiny entities of HTML in charsets of their own': parts(
    'multipart/mixed',
    numbered(9_900, (i) => part(`text/html; charset=html${i}`, '<p>')),
  ),
  'many tiny texts in charsets of their own and one of HTML': parts(
    'multipart/mixed',
    numbered(9_980, (i) => part(`text/plain; charset=text${i}`, '\xe9')) + part('text/html', '<p>'),
  ),
  'uuencoded lines that are shorter than they say': `Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a\n${'M\n'.repeat(450_000)}`,
};
