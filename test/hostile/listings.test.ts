/** Lists of what is long. */
import { randomUUID } from 'node:crypto';
import { type Doors, type HostileInput, idOf } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

/** In each attempt more. */
const LONG_LIST = 8_000;
const BOOKS = 2_000;
const COUNT = 200;

const message = (fields: string) => `${fields}\r\n\r\nbody\r\n`;

/** Messages of long header fields, listed. */
const listedMessages = (name: string, fields: string): HostileInput => ({
  name: `a page of messages with ${name}`,
  send: async ({ request, inboxId }) => {
    for (let i = 0; i < COUNT; i++) {
      await request('POST', `/v1/folders/${inboxId}/messages`, {
        body: message(fields),
        mediaType: 'message/rfc822',
      });
    }
    await request('GET', `/v1/messages?folder_id=${inboxId}&limit=${COUNT}`);
  },
});

const LONGEST_CONTACT = {
  name: 'n'.repeat(255),
  emails: Array.from({ length: 100 }, () => ({
    address: `${'a'.repeat(310)}@b.example`,
    type: '"'.repeat(255),
  })),
  phones: Array.from({ length: 100 }, () => ({ number: '"'.repeat(255), type: '"'.repeat(255) })),
  notes: '"'.repeat(50_000),
};

/** A meeting of each day of a year, at each of which other people meet: as much as an event may have. */
function longestEvent(uid: string): string {
  const attendees = Array.from({ length: 150 }, (_, i) => `ATTENDEE:mailto:person${i}@b.example`);
  const day = (i: number) =>
    new Date(Date.UTC(2030, 0, 1 + i)).toISOString().slice(0, 10).replaceAll('-', '');
  const meeting = (i: number, ...lines: string[]) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTART:${day(i)}T100000Z`,
    `DTEND:${day(i)}T110000Z`,
    ...lines,
    'END:VEVENT',
  ];
  const others = Array.from({ length: 300 }, (_, i) =>
    meeting(i, `RECURRENCE-ID:${day(i)}T100000Z`, ...attendees),
  );
  return [...meeting(0, 'RRULE:FREQ=DAILY;COUNT=366'), ...others.flat()].join('\r\n');
}

const LISTED_DAYS = 'start=2030-01-01T00:00:00Z&end=2030-12-31T00:00:00Z';

/** Makes so many objects, many at once; answers their ids. */
async function madeAt(
  request: Doors['request'],
  path: string,
  count: number,
  body: (name: string) => object,
): Promise<string[]> {
  const made: string[] = [];
  while (made.length < count) {
    const names = Array.from({ length: 50 }, (_, i) =>
      `${made.length + i} ${randomUUID()}`.padStart(200, 'n'),
    );
    const answers = await Promise.all(names.map((name) => request('POST', path, { body: body(name) })));
    made.push(...answers.map(idOf));
  }
  return made;
}

/** A list that is not paged, of thousands. */
const longList = (what: string, path: string, body: (name: string) => object): HostileInput => ({
  name: `thousands of ${what}, listed by several at once`,
  send: async ({ request }) => {
    const made = await madeAt(request, path, LONG_LIST, body);
    const lists = await Promise.all(Array.from({ length: 4 }, () => request('GET', path)));
    for (const { json } of lists) {
      const { data } = json as { data: { id: string }[] };
      const listed = new Set(data.map(({ id }) => id));
      if (!made.every((id) => listed.has(id))) throw new Error(`Not all ${what} are listed.`);
      if (data.some(({ id }, i) => id < (data[i - 1]?.id ?? '')))
        throw new Error(`The ${what} are not in order of creation.`);
    }
  },
});

/** As many labels as a message may have, of as many characters. */
const LABELS = Array.from({ length: 10 }, (_, i) => `${i}${'"'.repeat(120)}`);

const INPUTS: readonly HostileInput[] = [
  {
    name: 'a thousand messages with as many labels as a message may have',
    send: async ({ request, inboxId }) => {
      for (let i = 0; i < 1_000; i++) {
        await request('POST', `/v1/folders/${inboxId}/messages`, {
          body: message(`Subject: ${i}`),
          mediaType: 'message/rfc822',
        });
      }
      const ids: string[] = [];
      for (let cursor = ''; ids.length < 1_000; ) {
        const { json } = await request(
          'GET',
          `/v1/messages?folder_id=${inboxId}&limit=200${cursor && `&cursor=${cursor}`}`,
        );
        const messages = (json?.data ?? []) as { id: string }[];
        ids.push(...messages.map(({ id }) => id));
        cursor = json?.pagination?.next_cursor ?? '';
      }
      for (const op of ['add', 'set', 'remove']) {
        const body = { message_ids: ids.slice(0, 1_000), op, labels: LABELS };
        const { status } = await request('POST', `/v1/folders/${inboxId}/messages/flags`, { body });
        if (status !== 200) throw new Error(`the labels were answered ${status}`);
      }
    },
  },
  listedMessages('long subjects', `Subject: ${'"'.repeat(200_000)}`),
  listedMessages('long senders', `From: ${'a'.repeat(200_000)} <a@b.example>`),
  {
    name: 'a page of contacts of as much as fits, and a search among them',
    send: async ({ request }) => {
      const book = idOf(await request('POST', '/v1/address-books', { body: { name: 'Long' } }));
      for (let i = 0; i < COUNT; i++) {
        await request('POST', '/v1/contacts', { body: { address_book_id: book, ...LONGEST_CONTACT } });
      }
      for (const q of ['', '&q=n', '&q=nnnnnn', '&q=z', '&q=zzzzzz']) {
        await request('GET', `/v1/contacts?address_book_id=${book}&limit=200${q}`);
      }
      await request('GET', `/v1/address-books/${book}/export`);
    },
  },
  {
    name: 'a calendar of the longest events, listed and given out',
    send: async ({ request }) => {
      const calendar = idOf(await request('POST', '/v1/calendars', { body: { name: 'Long' } }));
      for (const uid of ['a', 'b', 'c']) {
        const { status, json } = await request('POST', `/v1/calendars/${calendar}/import`, {
          body: `BEGIN:VCALENDAR\r\n${longestEvent(uid)}\r\nEND:VCALENDAR\r\n`,
          mediaType: 'text/calendar',
        });
        if (status !== 200) throw new Error(`the import was answered ${status} ${JSON.stringify(json)}`);
      }
      await request('GET', `/v1/calendars/${calendar}/events?${LISTED_DAYS}&limit=100`);
      await request('GET', `/v1/calendars/${calendar}/export`);
    },
  },
  longList('mail folders', '/v1/folders', (name) => ({ name: name.replaceAll('n', '"') })),
  longList('file folders', '/v1/file-folders', (name) => ({ name })),
  longList('address books', '/v1/address-books', (name) => ({ name, description: '"'.repeat(500) })),
  longList('calendars', '/v1/calendars', (name) => ({ name })),
  {
    name: 'contacts that are searched in thousands of address books',
    send: async ({ request }) => {
      await madeAt(request, '/v1/address-books', BOOKS, (name) => ({ name }));
      for (const q of ['z', 'zz', 'zzzzzz']) await request('GET', `/v1/contacts?q=${q}`);
    },
  },
];

testTurns('listings', INPUTS);
