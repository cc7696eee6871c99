/** Messages with an answer to an invitation that were made to cost more than their size: the answer is read while the message arrives. */
import assert from 'node:assert/strict';
import type { HostileInput } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

/** Bytes; a calendar part that is longer is not looked at. */
const LONGEST = 64 * 1024;
const NEVER = 'FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=7;BYSECOND=11;BYMONTH=2;BYMONTHDAY=29;COUNT=9000';
const OFTEN = 'FREQ=SECONDLY;COUNT=1000000000';
const UID = `evt_${'0'.repeat(26)}`;

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`;
const event = (...further: string[]) =>
  lines('BEGIN:VEVENT', `UID:${UID}`, 'DTSTAMP:20260304T090000Z', ...further, 'END:VEVENT');
const answered = (...further: string[]) =>
  event('DTSTART:20260304T090000Z', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@b.example', ...further);
const reply = (content: string) =>
  lines('BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REPLY', content.trimEnd(), 'END:VCALENDAR');
const filled = (before: string, unit: string, after = '') =>
  before + unit.repeat(Math.floor((LONGEST - 600 - before.length - after.length) / unit.length)) + after;
const zone = (content: string) =>
  lines('BEGIN:VTIMEZONE', 'TZID:Nowhere', content.trimEnd(), 'END:VTIMEZONE');
const observance = (rule: string) =>
  lines(
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    rule,
    'END:STANDARD',
  );
const inZone = event('DTSTART;TZID=Nowhere:20260304T090000', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@b.example');

const calendars: Record<string, () => string> = {
  'a clock of rules that never match': () =>
    reply(zone(filled('', observance(`RRULE:${NEVER}`)).slice(0, 58_000)) + inZone),
  'a clock of observances that recur each second': () =>
    reply(zone(filled('', observance('RRULE:FREQ=SECONDLY')).slice(0, 58_000)) + inZone),
  'a clock of many dates': () =>
    reply(zone(observance(filled('RDATE:20260304T090000', ',20260304T090000').slice(0, 58_000))) + inZone),
  'rules that never match': () => reply(answered(...Array<string>(500).fill(`RRULE:${NEVER}`))),
  'five rules that never match': () => reply(answered(...Array<string>(5).fill(`RRULE:${NEVER}`))),
  'rules that match each second': () => reply(answered(...Array<string>(5).fill(`RRULE:${OFTEN}`))),
  'a thousand dates': () => reply(answered(filled('RDATE:20260304T090000Z', ',20260305T090000Z'))),
  'a thousand exceptions': () =>
    reply(answered('RRULE:FREQ=MINUTELY', filled('EXDATE:20260304T090000Z', ',20260305T090000Z'))),
  'a thousand attendees': () => reply(answered(filled('', 'ATTENDEE:mailto:a@b.example\r\n').trimEnd())),
  'hundreds of events': () => reply(filled('', answered(`RRULE:${NEVER}`))),
  'hundreds of instances': () => reply(filled('', answered('RECURRENCE-ID:20260304T090000Z'))),
  'components in components': () => reply(filled('', 'BEGIN:VEVENT\r\n')),
  'a line of parameters': () => reply(answered(filled('X-A', ';A=b', ':c'))),
  'a line of quotes': () => reply(answered(filled('X-A;A=', '"', ':c'))),
  'a line of colons': () => reply(answered(filled('X-A', ':'))),
  'a line of folds': () => reply(answered(filled('X-A:', '\r\n ', 'c'))),
  'a line of backslashes': () => reply(answered(filled('SUMMARY:', '\\'))),
  'an attendee of quotes': () => reply(answered(filled('ATTENDEE;CN="', "'", '":mailto:b@b.example'))),
  'an address of brackets': () => reply(answered(filled('ATTENDEE:mailto:', '<', '>@b.example'))),
  'a number of digits': () => reply(answered(filled('SEQUENCE:', '9'))),
  'a method behind blanks': () => `BEGIN:VCALENDAR\r\nMETHOD:${' '.repeat(60_000)}x\r\n`,
  'parameters of the method': () => `BEGIN:VCALENDAR\r\nMETHOD${';'.repeat(60_000)}\r\n`,
  'lines before the method': () => `BEGIN:VCALENDAR\r\n${'X:\r\n'.repeat(15_000)}`,
  NUL: () => reply(answered(filled('SUMMARY:', '\0'), 'LOCATION:\0\x01\x7f')),
};

const message = (type: string, body: string | Buffer, coding = '8bit') =>
  Buffer.concat([
    Buffer.from(
      lines(
        'From: a@b.example',
        'Subject: Accepted',
        `Content-Type: ${type}`,
        `Content-Transfer-Encoding: ${coding}`,
        '',
        '',
      ),
    ),
    Buffer.from(body),
  ]);
const typed = (body: string) => message('text/calendar; method=REPLY; charset=utf-8', body);
const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const whole = reply(answered());

const messages: Record<string, () => Buffer> = {
  ...Object.fromEntries(
    Object.entries(calendars).map(([name, calendar]) => [`an answer of ${name}`, () => typed(calendar())]),
  ),
  'an answer in UTF-16': () =>
    message(
      'text/calendar; method=REPLY; charset=utf-16',
      Buffer.from(whole, 'utf16le').toString('base64'),
      'base64',
    ),
  'an answer in UTF-7': () => message('text/calendar; charset=utf-7', '+AAA-'.repeat(12_000)),
  'an answer in a charset that nobody knows': () => message('text/calendar; charset="\u00e9"', whole),
  'an answer of bytes that are no text': () =>
    message('text/calendar; method=REPLY', Buffer.alloc(60_000, 0xff).toString('base64'), 'base64'),
  'an answer of soft line breaks': () =>
    message('text/calendar; method=REPLY', '=\r\n'.repeat(1_000_000), 'quoted-printable'),
  'an answer of a long base64 text that is nothing': () =>
    message('text/calendar; method=REPLY', '****\r\n'.repeat(500_000), 'base64'),
  'three thousand answers': () =>
    message(
      'multipart/mixed; boundary=b',
      `${part('text/calendar; method=REPLY', whole).repeat(3_000)}--b--\r\n`,
    ),
  'an answer behind thousands of parts': () =>
    message(
      'multipart/mixed; boundary=b',
      `${part('application/x-a', 'x').repeat(20_000)}${part('text/calendar', whole)}--b--\r\n`,
    ),
  'an answer within attached messages': () => {
    let inner = whole;
    for (let i = 0; i < 50; i++) inner = `Content-Type: message/rfc822\r\n\r\n${inner}`;
    return message('message/rfc822', inner);
  },
  'an answer that is as large as a message may be': () =>
    typed(reply(answered(`X-A:${'a'.repeat(20_000_000)}`))),
};

const INPUTS: readonly HostileInput[] = Object.entries(messages).map(([name, content]) => ({
  name,
  send: async ({ deliver }) => {
    assert.match(await deliver(content()), /^2/);
  },
}));

testTurns('replies', INPUTS);
