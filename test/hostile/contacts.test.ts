/** Cards and questions about contacts that were made to cost more than their size. */
import { type HostileInput, idOf } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

const card = (...lines: string[]) =>
  `${['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ada', ...lines, 'END:VCARD'].join('\r\n')}\r\n`;

/** Different in each card, and the same in each run. */
function* letters(): Generator<string> {
  for (let seed = 1; ; ) {
    let text = '';
    for (; text.length < 40; text += seed.toString(36)) seed = (seed * 48_271) % 2_147_483_647;
    yield text.slice(0, 40);
  }
}

/** As long as an address may be, and none like another. */
function longAddresses(count: number, words = letters()): string[] {
  const address = () =>
    Array.from({ length: 8 }, () => words.next().value)
      .join('')
      .slice(0, 310);
  return Array.from({ length: count }, address);
}

/** Cards that are told apart by their UIDs alone, each of a hundred long addresses. */
function cardsOfLongAddresses(count: number, words: Generator<string>): string {
  const lines = () => longAddresses(100, words).map((address) => `EMAIL:${address}`);
  return Array.from({ length: count }, (_, i) => card(`UID:long${i}`, ...lines())).join('');
}

function differentCards(count: number, lines: number): string {
  const words = letters();
  const line = () => `EMAIL:${words.next().value}`;
  return Array.from({ length: count }, () => card(...Array.from({ length: lines }, line))).join('');
}

const cards: Record<string, () => string> = {
  'a card of 60,000 addresses': () => card(...Array<string>(60_000).fill('EMAIL:a@b.ex')),
  'a card of 60,000 types of one address': () => card(`EMAIL;TYPE=${'work,'.repeat(60_000)}:a@b.ex`),
  'a card of groups': () => card(...Array.from({ length: 40_000 }, (_, i) => `item${i}.X-ABLabel:a`)),
  'a card of quoted-printable breaks': () =>
    card(`NOTE;ENCODING=QUOTED-PRINTABLE:${'=\r\n'.repeat(300_000)}`),
  'a card of folds': () => card(`NOTE:${'\r\n '.repeat(300_000)}`),
  'a card of semicolons': () => card(`N:${';'.repeat(900_000)}`),
  'a card of commas': () => card(`NICKNAME:${','.repeat(900_000)}`),
  'a card of backslashes': () => card(`NOTE:${'\\'.repeat(900_000)}`),
  'a card of quotes': () => card(`TEL;TYPE=${'"'.repeat(900_000)}:1`),
  'a card of blanks': () => card(`FN:${' '.repeat(900_000)}x`),
  'a photo of much base64': () => card(`PHOTO;ENCODING=b:${'QUJD'.repeat(200_000)}`),
  '20,000 cards': () => card().repeat(20_000),
  'empty lines only': () => '\r\n'.repeat(500_000),
  'cards in cards': () => 'BEGIN:VCARD\r\n'.repeat(70_000),
  'a card of marks above a letter': () => card(`FN:e${'\u0301'.repeat(400_000)}`),
  'a card of zeros': () => card(`NOTE:${'\0'.repeat(900_000)}`),
  '900 cards of twenty different addresses': () => differentCards(900, 20),
  '23,000 small cards': () =>
    Array.from({ length: 23_000 }, (_, i) => `BEGIN:VCARD\nVERSION:4.0\nFN:a${i}\nEND:VCARD\n`).join(''),
  'cards of groups without labels': () => card(...Array<string>(1_990).fill('a.TEL:x')).repeat(50),
  'a card of addresses with many parameters': () =>
    card(...Array<string>(1_990).fill(`EMAIL${';a'.repeat(250)}:x`)),
  'a card of notes of many types': () => card(...Array<string>(1_990).fill(`NOTE;TYPE=${','.repeat(500)}:x`)),
  'a card of types alone': () => card(...Array<string>(4).fill(`TEL;TYPE=${',a'.repeat(125_000)}:x`)),
  'a card of notes in UTF-7': () =>
    card(...Array<string>(4).fill(`NOTE;CHARSET=utf-7:${'+AAA-'.repeat(50_000)}`)),
  'cards of notes in UTF-7': () => card(`NOTE;CHARSET=utf-7:${'+AAA-'.repeat(3_000)}`).repeat(60),
};

const INPUTS: readonly HostileInput[] = [
  ...Object.entries(cards).map(([name, make]) => ({
    name: `${name}, imported`,
    send: async ({ request, addressBookId }: Parameters<HostileInput['send']>[0]) => {
      await request('POST', `/v1/address-books/${addressBookId}/import`, {
        body: make(),
        mediaType: 'text/vcard',
      });
    },
  })),
  {
    name: 'a contact of as much as fits',
    send: async ({ request, addressBookId }) => {
      const emails = Array.from({ length: 9_000 }, (_, i) => ({ address: `a${i}@b.example`, type: 'work' }));
      const body = { address_book_id: addressBookId, name: 'Ada', notes: 'ﷺ'.repeat(60_000), emails };
      await request('POST', '/v1/contacts', { body });
    },
  },
  {
    name: 'a contact of addresses that are long when they are compared, and its notes',
    send: async ({ request, addressBookId }) => {
      const emails = Array.from({ length: 100 }, (_, i) => ({ address: `${'ﷺ'.repeat(300)}${i}` }));
      const made = await request('POST', '/v1/contacts', {
        body: { address_book_id: addressBookId, name: 'Ada', emails },
      });
      const { status } = await request('PUT', `/v1/contacts/${idOf(made)}`, { body: { notes: 'short' } });
      if (status !== 200) throw new Error(`the notes were answered ${status}`);
    },
  },
  {
    name: 'cards of a hundred different long addresses, imported twice with others',
    send: async ({ request, addressBookId }) => {
      const words = letters();
      for (let i = 0; i < 2; i++) {
        const body = cardsOfLongAddresses(30, words);
        await request('POST', `/v1/address-books/${addressBookId}/import`, { body, mediaType: 'text/vcard' });
      }
    },
  },
  {
    name: 'a contact of a hundred different long addresses, changed, trashed and restored',
    send: async ({ request, addressBookId }) => {
      const [some, others] = [longAddresses(100), longAddresses(200).slice(100)];
      const emails = some.map((address) => ({ address }));
      const made = await request('POST', '/v1/contacts', {
        body: { address_book_id: addressBookId, name: 'Ada', emails },
      });
      const path = `/v1/contacts/${idOf(made)}`;
      await request('PUT', path, { body: { emails: others.map((address) => ({ address })) } });
      await request('DELETE', path);
      await request('POST', `${path}/restore`);
    },
  },
  {
    name: 'a search among contacts of addresses that are long when they are compared',
    send: async ({ request, addressBookId }) => {
      const lines = Array.from({ length: 100 }, (_, i) => `EMAIL:${'ﷺ'.repeat(300)}${i}`);
      const body = card(...lines).repeat(9);
      for (let i = 0; i < 4; i++)
        await request('POST', `/v1/address-books/${addressBookId}/import`, { body, mediaType: 'text/vcard' });
      for (const text of ['zz', 'ﷺ', 'وسلمx', `${'ﷺ'.repeat(127)}x`])
        await request('GET', `/v1/contacts?q=${encodeURIComponent(text)}`);
    },
  },
  {
    name: 'a search for marks and for what folds into more',
    send: async ({ request }) => {
      for (const text of ['ﷺ', 'e\u0301\u0323', '%', '_', '\\']) {
        await request('GET', `/v1/contacts?q=${encodeURIComponent(text.repeat(200))}`);
      }
    },
  },
];

testTurns('contacts', INPUTS);
