/**
 * Everything that reads what others have written takes a time that grows with its input and no faster: measured over runs
 * of one character and of few in turn, in each place where a format has something of its own.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textType } from '../src/formats/content-type/text-types.ts';
import { decodeText as decodeMail } from '../src/formats/messages/charsets.ts';
import { decodeHeader } from '../src/formats/messages/encoded-words.ts';
import {
  parseIds,
  parseReferences,
  parseReplyIds,
  readHeaders,
} from '../src/formats/messages/message-headers.ts';
import { unflow } from '../src/formats/messages/text-content.ts';
import { formatValue } from '../src/formulas/number-format/format.ts';
import { dateOfText, numberOfText } from '../src/formulas/number-text.ts';
import { parseFormula } from '../src/formulas/syntax/parse.ts';
import { PARSERS } from './fuzz/parsers/parsers.ts';
import { assertLinear } from './growth.ts';

/** What stands before and behind a run. */
type Place = readonly [before: string, behind: string];

interface Subject {
  read(text: string): unknown;
  places: readonly Place[];
  /** Runs that only this format knows. */
  runs?: readonly string[];
}

/** A parser of the collection that damaged input is tried on. */
function parser(name: string, places: readonly Place[], runs: readonly string[] = []): Subject {
  const { read, refusals = [] } = PARSERS[name]?.() ?? assert.fail(name);
  const refused = (error: unknown) => {
    if (!refusals.some((refusal) => error instanceof refusal)) throw error;
  };
  const tried = (text: string): unknown => {
    try {
      const reading = read(Buffer.from(text));
      return reading instanceof Promise ? reading.catch(refused) : reading;
    } catch (error) {
      refused(error);
      return undefined;
    }
  };
  return { read: tried, places, runs };
}

const field = (name: string): Place => [`${name}: `, '\r\n\r\nbody\r\n'];
const body = (type: string, encoding = '8bit'): Place => [
  `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`,
  '\r\n',
];
const event = (line: string): Place => [
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260301T090000Z\r\n${line}`,
  '\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
];
const card = (line: string): Place => [`BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\n${line}`, '\r\nEND:VCARD\r\n'];

const SUBJECTS: Record<string, Subject> = {
  messages: parser(
    'messages',
    [
      field('Subject'),
      field('From'),
      ['From: "', '" <a@b.example>\r\n\r\n'],
      ['From: (', ') <a@b.example>\r\n\r\n'],
      ['From: =?utf-8?Q?', '?= <a@b.example>\r\n\r\n'],
      ['To: a@b.example ', '\r\n\r\n'],
      field('References'),
      field('In-Reply-To'),
      field('Date'),
      field('Received'),
      field('Content-Type'),
      ['Content-Type: text/plain; name="', '"\r\n\r\n'],
      ["Content-Type: text/plain; name*0*=utf-8''", '\r\n\r\n'],
      field('Content-Disposition'),
      body('text/plain'),
      body('text/html'),
      [`${body('text/html')[0]}<p title="`, '">\r\n'],
      body('text/plain; format=flowed; delsp=yes'),
      body('text/plain', 'quoted-printable'),
      body('text/plain', 'base64'),
      body('text/plain', 'x-uuencode'),
      body('text/plain; charset=utf-7'),
      body('text/plain; charset=iso-2022-jp'),
      body('multipart/mixed; boundary=b'),
      body('message/rfc822'),
    ],
    [
      '=?utf-8?q?a?= ',
      '=?',
      '?=',
      '=3E',
      '--b\r\n',
      '--b\r\n\r\n',
      '\r\n\r\n',
      'a: b\r\n',
      'begin 644 a\r\n',
    ],
  ),
  'addresses and dates': parser(
    'addresses and dates',
    [
      ['', ''],
      ['"', '"'],
      ['(', ')'],
      ['<', '>'],
      ['a@b.example ', ''],
      ['1 Jan ', ''],
    ],
    ['a@b, ', 'a:b;', '<@a,@b:', '=?utf-8?q?@?='],
  ),
  mailboxes: parser(
    'mailboxes',
    [['From a@b Mon Jan  1 00:00:00 2026\n', '\n']],
    ['From a@b Mon Jan  1 00:00:00 2026\n', '>From \n', '\nFrom ', 'From -\nA:b\n', 'From -\r\nA:b\r\n'],
  ),
  iCalendar: parser(
    'iCalendar',
    [
      ['', ''],
      event('SUMMARY:'),
      event('X-A;B='),
      event('RDATE:'),
      event('EXDATE:'),
      event('RRULE:'),
      event('DURATION:'),
    ],
    ['BEGIN:VEVENT\r\n', ';A=b', ';A="', '\r\n ', '20260301T090000Z,', 'BYDAY=MO;', 'X:Y\r\n'],
  ),
  'recurrence rules': parser(
    'recurrence rules',
    [
      ['', ''],
      ['FREQ=DAILY;COUNT=', ''],
      ['FREQ=DAILY;BYDAY=', ''],
      ['FREQ=DAILY;', ''],
    ],
    ['MO,', '1,', 'BYDAY=MO;'],
  ),
  vCard: parser(
    'vCard',
    [
      ['', ''],
      card('N:'),
      card('EMAIL;TYPE='),
      card('NOTE:'),
      card('NOTE;ENCODING=QUOTED-PRINTABLE:'),
      card('PHOTO;ENCODING=b:'),
    ],
    ['BEGIN:VCARD\r\n', 'EMAIL:a@b\r\n', 'item1.', 'TYPE=a;', '\r\n ', '=\r\n', '=3D'],
  ),
  'XML of sheets': parser(
    'XML of sheets',
    [
      ['', ''],
      ['<row r="1"><c t="str"><v>', '</v></c></row>'],
      ['<row r="1"><c><f>', '</f></c></row>'],
      ['<row r="', '"/>'],
    ],
    ['<row/>', '<c/>', '<c r="A1"><v>1</v></c>', '<!---->', '<![CDATA[]]>', '&amp;', '<a>', ' a="b"'],
  ),
  CSV: parser(
    'CSV',
    [
      ['', ''],
      ['"', '"'],
      ['a,b\n1,2\n', ''],
    ],
    ['""', '",', '"\n', 'a;', '1,', '\r'],
  ),
  'text of files': parser(
    'text of files',
    [
      ['', ''],
      ['<p>', '</p>'],
      ['<p title="', '">'],
      ['<script>', '</script>'],
      ['<!--', '-->'],
      ['<?xml version="1.0" encoding="', '"?>'],
      ['<meta charset="', '">'],
      ['{"a":"', '"}'],
    ],
    ['<a>', '</a>', '<!--', '&am', '&lt;', '<meta ', '\\u00e9', '\\n'],
  ),
  'A1 references': parser(
    'A1 references',
    [
      ['', ''],
      ["'", "'!A1"],
      ['Sheet1!', ''],
    ],
    ["''", 'A1:'],
  ),
  Markdown: parser(
    'Markdown',
    [
      ['', ''],
      ['[', ']'],
      ['`', '`'],
      ['> ', ''],
      ['- ', ''],
      ['<', '>'],
      ['| a |\n|---|\n', ''],
    ],
    [
      '*a ',
      '**',
      '_a',
      '[a](',
      '![',
      '> ',
      '- ',
      '1. ',
      '`a',
      '\n\n',
      '<a ',
      '&#0;',
      '~~a',
      '| a ',
      'a\n---\n',
      '[a]: b\n',
      '# ',
      '\\*',
    ],
  ),
  HTML: parser(
    'HTML',
    [
      ['', ''],
      ['<p>', '</p>'],
      ['<a href="', '">'],
      ['<p style="', '">'],
      ['<!--', '-->'],
      ['<style>', '</style>'],
      ['<table>', '</table>'],
    ],
    [
      '<p>',
      '<div>',
      '<b>',
      '<ol><li>',
      '<blockquote>',
      '<table><tr><td>',
      '<tr>',
      '</p>',
      '&amp;',
      '&#1',
      'a:b;',
      'url(',
      '<a ',
      ' a="',
      '<!--',
      '<svg>',
    ],
  ),
  JSON: parser(
    'JSON',
    [
      ['', ''],
      ['["', '"]'],
      ['[', ']'],
      ['{', '}'],
      ['[1', ']'],
    ],
    ['[],', '{},', '"a":1,', '\\u0061', '\\', '{"a":', '-'],
  ),
  headers: parser(
    'headers',
    [
      ['', ''],
      ['bytes=', ''],
      ['W/"', '"'],
      ['text/vcard;', ''],
      ['/v1/files?', ''],
    ],
    ['0-1,', '"a",', 'a=b;', '%41', 'a=b&'],
  ),
  cursors: parser('cursors', [['', '']]),
  'encoded words': {
    read: decodeHeader,
    places: [
      ['', ''],
      ['=?utf-8?q?', '?='],
      ['=?utf-8?b?', '?='],
    ],
    runs: ['=?utf-8?q?a?= ', '=?a?q?', '?='],
  },
  'header sections': {
    // As the thread for large ones reads them.
    read: (raw) =>
      ['from', 'to', 'subject', 'date', 'references', 'received', 'content-type'].map((name) =>
        readHeaders([{ name, written: name, raw }], 'utf-8'),
      ),
    places: [
      ['', ''],
      ['"', '" <a@b>'],
      ['(', ') a@b'],
      ['=?utf-8?q?', '?='],
    ],
    runs: ['a@b, ', '"a" <a@b>, ', 'g: a@b; ', '(', '\\"', '=?utf-8?q?a?= ', '<a@b> ', '\r\n ', ';a=b'],
  },
  'message ids': {
    read: (text) => [parseIds(text), parseReplyIds(text), parseReferences(text)],
    places: [
      ['', ''],
      ['<', '>'],
      ['Message from ', ' <a@b>'],
    ],
    runs: ['<a@b> ', '<', '@'],
  },
  'flowed text': {
    read: (text) => unflow(text, true),
    places: [['', '']],
    runs: ['> ', ' \n', '>\n', '-- \n'],
  },
  'texts of charsets': {
    read: (text) =>
      ['utf-8', 'utf-7', 'iso-2022-jp', 'gb18030', 'big5', 'x-none'].map((label) =>
        decodeMail(Buffer.from(text, 'latin1'), label),
      ),
    places: [['', '']],
    runs: ['+AAA-', '\u001b$B', '\u001b(B', '\u0081', '\u00ff\u00fe'],
  },
  'types of texts': {
    read: (text) => textType('text/plain', Buffer.from(text), 'a.txt'),
    places: [
      ['', ''],
      ['From: ', '\n\n'],
      ['<html ', '>'],
      ['BEGIN:VCARD\n', ''],
    ],
    runs: ['a: b\n', '<a>', '{"a":', '\n '],
  },
  formulas: {
    read: (text) => ignoringErrors(() => parseFormula(text)),
    places: [
      ['=', ''],
      ['=SUM(', ')'],
      ['="', '"'],
      ["='", "'!A1"],
      ['={', '}'],
      ['=LET(', ')'],
    ],
    runs: ['A1,', 'A1:', '1+', '-', '%', 'SUM(', '""', "''", '1E', 'A1#', '@', '!'],
  },
  'number formats': {
    read: (text) => formatValue(1234.5, text),
    places: [
      ['', ''],
      ['"', '"'],
      ['[', ']'],
      ['0.', ''],
    ],
    runs: ['#,', '0', '?/', '"a"', '[h]', ';', '\\a', '_a', '*a', 'yyyy', 'E+', 'AM/PM'],
  },
  'texts of numbers': {
    read: (text) => numberOfText(text),
    places: [
      ['', ''],
      ['1', ''],
      ['1,', ''],
    ],
    runs: ['1,', '.1', 'e1', '1 '],
  },
  'texts of dates': {
    read: (text) => dateOfText(text),
    places: [
      ['', ''],
      ['1/1/', ''],
      ['1 Jan ', ''],
    ],
    runs: ['1/', '1:', 'Jan ', '1 '],
  },
};

/** Characters that formats give a meaning, and some that they do not. */
const CHARACTERS = [...' \t\n\r"\'\\()<>[]{},;:=*|&%#@!?+-_~`^$./09aZé\0'];
const RUNS = [
  ...CHARACTERS,
  '\r\n',
  '()',
  '<>',
  '[]',
  '{}',
  '((',
  'a ',
  'a,',
  'ﷺ',
  'e\u0301\u0323',
  '\u0301\u0323',
  '😀',
];

const SIZE = 16_384;
/**
 * What takes less is not measured. A parser that is quadratic at few nanoseconds a step stays below it: four times the
 * size shows those too, and takes six times as long.
 */
const SUSPICIOUS_MS = 25;

describe('parsers take linear time', () => {
  for (const [name, { read, places, runs = [] }] of Object.entries(SUBJECTS)) {
    it(`${name} are read in linear time`, { timeout: 900_000 }, async () => {
      for (const [before, behind] of places) {
        for (const run of [...RUNS, ...runs]) {
          const make = (size: number) => before + run.repeat(Math.ceil(size / run.length)) + behind;
          const text = make(SIZE);
          // The first reading may have to compile what it runs.
          if ((await readQuickly(read, text)) || (await readQuickly(read, text))) continue;
          const said = `${name}: ${JSON.stringify(run)} behind ${JSON.stringify(before.slice(-40))}`;
          await assertLinear(said, make, read);
        }
      }
    });
  }
});

/** Whether an input takes so little that there is nothing to measure. */
async function readQuickly(read: Subject['read'], text: string): Promise<boolean> {
  const start = process.cpuUsage();
  await read(text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 < SUSPICIOUS_MS;
}

/** A refusal of whatever kind is an answer too. */
function ignoringErrors(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
