import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/text/fold.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeKey, makeUser, readPages } from './accounts.ts';
import { createContact, firstBook, importCards, vcard } from './contacts-world.ts';

interface Known {
  id: string;
  address_book_id: string;
  name: string;
  given_name?: string;
  family_name?: string;
  emails?: { address: string }[];
  trashed: boolean;
}

/** Few letters, so that fragments meet; some fold to several, some beyond the first 65,536. */
const letter = fc.constantFrom(
  'a',
  'A',
  'b',
  'B',
  'ß',
  'ss',
  'ς',
  'Σ',
  'é',
  'e\u0301',
  ' ',
  '%',
  '_',
  '\\',
  '😀',
  '𐐀',
  'ﷺ',
  '\uffee',
  '\u{10ffff}',
);
const text = fc.array(letter, { minLength: 1, maxLength: 7 }).map((letters) => letters.join(''));
const address = fc.tuple(text, text).map(([local, domain]) => `${local}@${domain}.com`);
const contact = fc.record(
  {
    name: text,
    given_name: text,
    family_name: text,
    emails: fc.array(address, { maxLength: 3 }).map((all) => all.map((a) => ({ address: a }))),
    phones: fc.constant([{ number: 'ab 123' }]),
    notes: fc.constant('not what is searched: xyzzy'),
  },
  { requiredKeys: ['name'] },
);
const filter = fc.record({
  book: fc.option(fc.nat(2), { nil: undefined }),
  q: fc.option(fc.oneof(text, fc.constantFrom('.com', 'com', '@', 'xyzzy', '123', 'aß', 'zz', 'b.com')), {
    nil: undefined,
  }),
  trashed: fc.option(fc.boolean(), { nil: undefined }),
});
type Filter = { book: number | undefined; q: string | undefined; trashed: boolean | undefined };

forEachEngine((engine) => {
  describe('listing contacts', () => {
    let app: TestApp;
    const books: string[] = [];
    const known: Known[] = [];

    before(async () => {
      app = await startApp(engine);
      books.push(await firstBook(app));
      for (const name of ['B', 'C']) books.push(data(await app.post('/v1/address-books', { name }), 201).id);
      const random = fc.sample(fc.tuple(contact, fc.nat(2), fc.nat(4)), { numRuns: 150, seed: 11 });
      for (const [fields, book, chance] of random) {
        const made = await createContact(app, books[book] ?? '', fields);
        if (chance === 0) await app.delete(`/v1/contacts/${made.id}`);
        known.push({ ...made, trashed: chance === 0 });
      }
      known.sort((a, b) => byBytes(fold(a.name), fold(b.name)) || byBytes(a.id, b.id));
    });
    after(() => app.stop());

    const expected = ({ book, q, trashed = false }: Filter) =>
      known.filter(
        (contact) =>
          contact.trashed === trashed &&
          (book === undefined || contact.address_book_id === books[book]) &&
          (q === undefined || searched(contact).some((it) => fold(it).includes(fold(q)))),
      );

    const pathOf = ({ book, q, trashed }: Filter) => {
      const query = new URLSearchParams();
      if (book !== undefined) query.set('address_book_id', books[book] ?? '');
      if (q !== undefined) query.set('q', q);
      if (trashed !== undefined) query.set('trashed', String(trashed));
      return `/v1/contacts?${query}`;
    };

    const assertListed = async (wanted: Filter, limit: number) => {
      const found = await readPages(app, pathOf(wanted), limit);
      assert.deepEqual(
        found,
        expected(wanted).map(({ trashed, ...rest }) => rest),
      );
    };

    test('every combination of filters lists exactly the contacts that it names, in order, on pages of any size (CONTACT-17, CONTACT-18, CONTACT-19, CONTACT-20)', async () => {
      await fc.assert(fc.asyncProperty(filter, fc.integer({ min: 1, max: 60 }), assertListed), {
        numRuns: 150,
      });
    });

    test('a search of contacts folds case as Unicode says, after NFKC (CONTACT-19)', async () => {
      await createContact(app, books[0] ?? '', { name: 'Straße ΟΔΥΣΣΕΥΣ ﬁre' }).then((made) =>
        known.push({ ...made, trashed: false }),
      );
      for (const q of ['STRASSE', 'straße', 'οδυσσευς', 'Οδυσσευσ', 'FIRE', 'aße', 'SS'])
        assert.ok(
          data(await app.get(`/v1/contacts?limit=200&q=${encodeURIComponent(q)}`)).some(({ name }: Known) =>
            name.startsWith('Straße'),
          ),
          q,
        );
    });

    test('an unknown, malformed or foreign book lists nothing', async () => {
      for (const id of ['abk_01h2xcejqtf2nbrexx3vqjhp41', 'x', '', "';--", '%00']) {
        const { json } = await app.get(`/v1/contacts?address_book_id=${id}`);
        assert.deepEqual(json.data, []);
        assert.deepEqual(json.pagination, { next_cursor: '', has_more: false, limit: 50 });
        assert.deepEqual((await app.get(`/v1/contacts?address_book_id=${id}&q=a`)).json.data, []);
      }
    });

    test('the limit of a page of contacts is clamped to 200 and defaults to 50 (CONTACT-17)', async () => {
      assert.equal((await app.get('/v1/contacts')).json.pagination.limit, 50);
      assert.equal((await app.get('/v1/contacts?limit=1000')).json.pagination.limit, 200);
      assert.equal((await app.get('/v1/contacts?q=a&limit=1000')).json.pagination.limit, 200);
    });

    test('a page of the longest contacts ends early, and the next one goes on behind it (CONTACT-21)', async () => {
      const book = data(await app.post('/v1/address-books', { name: 'Long' }), 201).id;
      const names = Array.from({ length: 60 }, (_, i) => `long ${i + 10}`);
      for (const name of names) await createContact(app, book, { name, notes: '"'.repeat(50_000) });
      for (const query of ['', '&q=long']) {
        const path = `/v1/contacts?address_book_id=${book}&limit=60${query}`;
        const { json: first } = await app.get(path);
        const { json: second } = await app.get(`${path}&cursor=${first.pagination.next_cursor}`);
        assert.deepEqual([first.data.length, first.pagination.has_more], [40, true]);
        assert.deepEqual([second.data.length, second.pagination.has_more], [20, false]);
        assert.deepEqual(
          [...first.data, ...second.data].map(({ name }: Known) => name),
          names,
        );
      }
    });

    test('pages stay whole while contacts come, go and change their names elsewhere', async () => {
      const book = data(await app.post('/v1/address-books', { name: 'Pages' }), 201).id;
      for (let i = 10; i < 40; i++) await createContact(app, book, { name: `m${i} common` });
      for (const query of ['', '&q=common']) {
        const seen: string[] = [];
        let cursor = '';
        do {
          const { json } = await app.get(
            `/v1/contacts?address_book_id=${book}&limit=7${query}${cursor && `&cursor=${cursor}`}`,
          );
          seen.push(
            ...json.data.map(({ name }: Known) => name).filter((name: string) => name.startsWith('m')),
          );
          cursor = json.pagination.next_cursor;
          const early = await createContact(app, book, { name: 'a common' });
          await app.put(`/v1/contacts/${early.id}`, { name: 'b common' });
          await app.delete(`/v1/contacts/${early.id}`);
        } while (cursor);
        assert.deepEqual(
          seen,
          Array.from({ length: 30 }, (_, i) => `m${i + 10} common`),
        );
      }
    });
  });

  describe('a listing that was read before', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const book = async (name: string) => data(await app.post('/v1/address-books', { name }), 201).id;
    const names = async (query: string) =>
      data(await app.get(`/v1/contacts?${query}`)).map(({ name }: Known) => name);

    /** What is listed in one book, in another, among all, by a search and in the trash. */
    const listed = async (one: string, other: string) => {
      const queries = [
        `address_book_id=${one}`,
        `address_book_id=${other}`,
        '',
        'q=ada',
        'q=ada&trashed=true',
      ];
      return Promise.all(queries.map(names));
    };

    test('shows every change of its contacts', async () => {
      const [one, other] = [await book('One'), await book('Other')];
      const shows = async (...expected: string[][]) => {
        assert.deepEqual(await listed(one, other), expected);
        assert.deepEqual(await listed(one, other), expected);
      };
      await shows([], [], [], [], []);
      const { id } = await createContact(app, one, { name: 'Ada' });
      await shows(['Ada'], [], ['Ada'], ['Ada'], []);
      await app.put(`/v1/contacts/${id}`, { name: 'Ada L.' });
      await shows(['Ada L.'], [], ['Ada L.'], ['Ada L.'], []);
      await app.put(`/v1/contacts/${id}`, { address_book_id: other });
      await shows([], ['Ada L.'], ['Ada L.'], ['Ada L.'], []);
      await app.delete(`/v1/contacts/${id}`);
      await shows([], [], [], [], ['Ada L.']);
      await app.post(`/v1/contacts/${id}/restore`);
      await shows([], ['Ada L.'], ['Ada L.'], ['Ada L.'], []);
      await importCards(app, one, vcard('FN:Bob', 'EMAIL:ada@example.org'));
      await shows(['Bob'], ['Ada L.'], ['Ada L.', 'Bob'], ['Ada L.', 'Bob'], []);
    });

    test('is of its user only', async () => {
      const { id } = await makeUser(app, { email: freshAddress() });
      const { key } = await makeKey(app, ['contacts.read'], { user_id: id });
      await createContact(app, await firstBook(app), { name: 'Mine' });
      assert.ok((await names('q=mine')).includes('Mine'));
      assert.deepEqual(data(await app.get('/v1/contacts?q=mine', { key })), []);
    });
  });

  describe('searching many contacts', () => {
    let app: TestApp;
    let book: string;
    const MANY = 9_000;
    /** Half of the first who have its grams, and few of those who come later. */
    const isHilly = (i: number) => i < 100 || i % 300 === 0;
    const names = Array.from(
      { length: MANY },
      (_, i) => `p${String(i).padStart(5, '0')} ${i % 2 ? 'anna' : 'otto'} ${isHilly(i) ? 'hilly' : 'hills'}`,
    );

    before(async () => {
      app = await startApp(engine);
      book = await firstBook(app);
      const cards = names.map(
        (name, i) => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${name}\r\nEMAIL:u${i % 97}@host.com\r\nEND:VCARD\r\n`,
      );
      const headers = { 'content-type': 'text/vcard' };
      const body = cards.join('');
      const report = data(await app.request('POST', `/v1/address-books/${book}/import`, { body, headers }));
      assert.deepEqual(report, { created: MANY, updated: 0, skipped: [] });
    });
    after(() => app.stop());

    const found = async (q: string) => {
      const all = await readPages(app, `/v1/contacts?q=${encodeURIComponent(q)}`, 200);
      return all.map(({ name }) => name);
    };
    const holding = (q: string) =>
      names.filter((name, i) => name.includes(q) || `u${i % 97}@host.com`.includes(q));

    // A common fragment of each length, rare ones, and some whose grams are common and which nobody has.
    for (const q of [
      'a',
      '7',
      'z',
      'an',
      'zz',
      '99',
      'com',
      '777',
      'u96@host.com',
      '9 anna',
      '89 otto',
      'otto anna',
      'host.comp',
      'annaotto',
      'hilly',
      '0000',
      'p08999',
    ])
      test(`"${q}" finds exactly what holds it`, async () => {
        assert.deepEqual(await found(q), holding(q));
      });
  });
});

function searched({ name, given_name = '', family_name = '', emails = [] }: Known): string[] {
  return [name, given_name, family_name, ...emails.map((email) => email.address)];
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
