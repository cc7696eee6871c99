/** Bodies in as many pieces as they have bytes, each of which costs a client six. */
import assert from 'node:assert/strict';
import type { HostileInput } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

const BYTES = 160_000;
const AT_ONCE = 50;
const MESSAGE = `From: a@b.example\r\nSubject: Pieces\r\n\r\n${'x'.repeat(BYTES)}\r\n`;
const CARD = `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nNOTE:${'x'.repeat(BYTES)}\r\nEND:VCARD\r\n`;
const EVENT = `BEGIN:VEVENT\r\nUID:pieces\r\nDTSTART:20260304T090000Z\r\nX-A:${'x'.repeat(BYTES)}\r\nEND:VEVENT\r\n`;

const INPUTS: readonly HostileInput[] = [
  {
    name: 'forty bodies of a megabyte at once, refused',
    send: async ({ request }) => {
      const description = Array.from({ length: 40_000 }, () => 'x'.repeat(20));
      const body = JSON.stringify({ name: 5, description });
      const sent = () => request('POST', '/v1/address-books', { body, mediaType: 'application/json' });
      const answers = await Promise.all(Array.from({ length: 40 }, sent));
      assert.ok(answers.every(({ status }) => status === 400));
    },
  },
  {
    name: 'bodies of half a megabyte that take twenty times as much once they are parsed, at once',
    send: async ({ request, spreadsheetId }) => {
      const body = { values: [Array.from({ length: 99_000 }, () => [[]])] };
      const path = `/v1/spreadsheets/${spreadsheetId}/values/Sheet1!A1`;
      const answers = await Promise.all(Array.from({ length: 150 }, () => request('PUT', path, { body })));
      assert.ok(answers.every(({ status }) => status === 400));
    },
  },
  {
    name: 'fifty bodies of 120 KB whose last bytes come at once, refused',
    send: async ({ completeAtOnce }) => {
      const description = Array.from({ length: 15_000 }, () => 'xxxxx');
      const answers = await completeAtOnce(AT_ONCE, 'POST', '/v1/address-books', { name: 5, description });
      assert.ok(answers.every(({ status }) => status === 400));
    },
  },
  {
    name: 'fifty writes of formulas of 110 KB whose last bytes come at once',
    send: async ({ completeAtOnce, spreadsheetId }) => {
      const formula = (row: number, i: number) => `=A${row + 200}+${i}`;
      const rows = Array.from({ length: 100 }, (_, row) => row);
      const values = rows.map((row) => rows.map((i) => formula(row, i)));
      const path = `/v1/spreadsheets/${spreadsheetId}/values/Sheet1!A1`;
      const answers = await completeAtOnce(AT_ONCE, 'PUT', path, { values });
      assert.ok(answers.every(({ status }) => status === 200));
    },
  },
  {
    name: 'a JSON body in chunks of a byte',
    send: async ({ writeInBytes }) => {
      const body = JSON.stringify({ type: 'document', title: 'x'.repeat(BYTES) });
      await writeInBytes('POST', '/v1/documents', body, 'application/json');
    },
  },
  {
    name: 'a file in chunks of a byte',
    send: async ({ writeInBytes }) => {
      const path = '/v1/files?filename=pieces.txt';
      await writeInBytes('POST', path, 'x'.repeat(BYTES), 'application/octet-stream');
    },
  },
  {
    name: 'a message in chunks of a byte',
    send: async ({ writeInBytes, inboxId }) => {
      await writeInBytes('POST', `/v1/folders/${inboxId}/messages`, MESSAGE, 'message/rfc822');
    },
  },
  {
    name: 'a card in chunks of a byte',
    send: async ({ writeInBytes, addressBookId }) => {
      await writeInBytes('POST', `/v1/address-books/${addressBookId}/import`, CARD, 'text/vcard');
    },
  },
  {
    name: 'a calendar in chunks of a byte',
    send: async ({ writeInBytes, calendarId }) => {
      const body = `BEGIN:VCALENDAR\r\n${EVENT}END:VCALENDAR\r\n`;
      await writeInBytes('POST', `/v1/calendars/${calendarId}/import`, body, 'text/calendar');
    },
  },
  {
    name: 'a document in chunks of a byte',
    send: async ({ writeInBytes, documentId }) => {
      await writeInBytes('PUT', `/v1/documents/${documentId}/content`, 'x'.repeat(BYTES), 'text/markdown');
    },
  },
];

testTurns('bodies', INPUTS);
