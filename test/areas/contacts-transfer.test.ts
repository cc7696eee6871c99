import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, makeKey, makeUser, readPages } from './accounts.ts';
import { createContact, exportCards, fieldsOf, firstBook, importCards, vcard } from './contacts-world.ts';

runWorksTwice();

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/vcf');

const line = fc
  .oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('a\\, b;c:\\n', 'Büro; "x"', 'work', '_$!<Home>!$_', '日本\u2028', ' a '),
  )
  .map((text) => text.replace(/\p{Cc}/gu, ''));
const filled = line.filter((text) => text !== '');
const contact = fc.record(
  {
    name: filled,
    given_name: line,
    family_name: line,
    organization: line,
    title: line,
    notes: fc.array(fc.oneof(line, fc.constantFrom('\n', '\t', '\\n'))).map((parts) => parts.join('')),
    emails: fc.array(fc.record({ address: filled, type: line }, { requiredKeys: ['address'] }), {
      maxLength: 3,
    }),
    phones: fc.array(fc.record({ number: filled, type: line }, { requiredKeys: ['number'] }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: ['name'] },
);

forEachEngine((engine) => {
  describe('importing and exporting contacts', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const newBook = async () => data(await app.post('/v1/address-books', { name: 'Börse; "1"/2' }), 201).id;
    const listed = (bookId: string, options = {}) =>
      readPages(app, `/v1/contacts?address_book_id=${bookId}`, 200, options);

    test('an export that is imported elsewhere gives equal contacts, without those in the trash (CONTACT-33, CONTACT-34)', async () => {
      const [from, to] = [await newBook(), await newBook()];
      for (const fields of fc.sample(contact, { numRuns: 60, seed: 5 }))
        await createContact(app, from, fields);
      await createContact(app, from, { given_name: 'Only', family_name: 'Made' });
      const trashed = await createContact(app, from, { name: 'In the trash' });
      await app.delete(`/v1/contacts/${trashed.id}`);
      const report = await importCards(app, to, await exportCards(app, from));
      assert.deepEqual(report, { created: 61, updated: 0, skipped: [] });
      const sorted = async (book: string) =>
        (await listed(book))
          .map(fieldsOf)
          .map((it) => JSON.stringify(it))
          .sort();
      assert.deepEqual(await sorted(to), await sorted(from));
      assert.equal(await exportCards(app, to), await exportCards(app, from));
    });

    test('a card that says nothing but blanks is skipped, and blanks beside more are left out', async () => {
      const book = await newBook();
      const cards = [
        vcard('FN: ', 'ORG:\u3000', 'EMAIL: ', 'TEL:\u200b'),
        vcard('FN:Ada', 'EMAIL:\u00a0', 'EMAIL:ada@example.org', 'TITLE: '),
      ];
      const { created, skipped } = await importCards(app, book, cards.join(''));
      assert.deepEqual([created, skipped.map(({ index }: { index: number }) => index)], [1, [0]]);
      assert.deepEqual((await listed(book)).map(fieldsOf), [
        { name: 'Ada', emails: [{ address: 'ada@example.org' }] },
      ]);
    });

    test('an export is vCard 4.0 under the name of its address book, with every label (CONTACT-33, CONTACT-34)', async () => {
      const book = await newBook();
      await createContact(app, book, {
        name: 'Ada',
        emails: [
          { address: 'a@b', type: 'work' },
          { address: 'c@d', type: "Mum's" },
        ],
      });
      const answer = await app.get(`/v1/address-books/${book}/export`);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename/);
      assert.equal(answer.headers.get('content-type'), 'text/vcard');
      const [begin, version, uid, ...lines] = answer.text.split('\r\n');
      assert.deepEqual([begin, version], ['BEGIN:VCARD', 'VERSION:4.0']);
      assert.match(uid ?? '', /^UID:con_/);
      assert.deepEqual(lines, [
        'FN:Ada',
        'EMAIL;TYPE=work;PREF=1:a@b',
        'item2.EMAIL:c@d',
        "item2.X-ABLabel:Mum's",
        'END:VCARD',
        '',
      ]);
      assert.equal(await exportCards(app, await newBook()), '');
    });

    test('an export imported where it came from changes nothing but the time', async () => {
      const book = await newBook();
      const made = await createContact(app, book, { name: 'Ada', notes: 'x' });
      const report = await importCards(app, book, await exportCards(app, book));
      assert.deepEqual(report, { created: 0, updated: 1, skipped: [] });
      const [found, ...others] = await listed(book);
      assert.deepEqual(others, []);
      assert.deepEqual(found, { ...made, updated_at: found.updated_at });
    });

    test('a card whose UID the book has updates that contact, within a file, within a book, and out of the trash (CONTACT-30, CONTACT-32)', async () => {
      const [book, other] = [await newBook(), await newBook()];
      const first = await importCards(
        app,
        book,
        vcard('UID:u1', 'FN:One', 'NOTE:x') + vcard('UID:u1', 'FN:Uno'),
      );
      assert.deepEqual(first, { created: 1, updated: 1, skipped: [] });
      const [one] = await listed(book);
      assert.deepEqual(fieldsOf(one), { name: 'Uno' });
      await app.delete(`/v1/contacts/${one.id}`);
      const second = await importCards(
        app,
        book,
        vcard('UID:u1', 'FN:Eins') + vcard('FN:No UID') + vcard('FN:No UID'),
      );
      assert.deepEqual(second, { created: 2, updated: 1, skipped: [] });
      assert.deepEqual(
        (await listed(book)).map(({ name }) => name),
        ['Eins', 'No UID', 'No UID'],
      );
      assert.equal((await listed(book))[0].id, one.id);
      assert.deepEqual(await importCards(app, other, vcard('UID:u1', 'FN:Un')), {
        created: 1,
        updated: 0,
        skipped: [],
      });
      const counts = data(await app.get('/v1/address-books')).filter(({ id }: { id: string }) =>
        [book, other].includes(id),
      );
      assert.deepEqual(
        counts.map((it: Record<string, number>) => it.contact_count),
        [3, 1],
      );
      const [elsewhere] = await listed(other);
      data(await app.put(`/v1/contacts/${elsewhere.id}`, { address_book_id: book }));
      assert.deepEqual(await importCards(app, book, vcard('UID:u1', 'FN:Yksi')), {
        created: 0,
        updated: 1,
        skipped: [],
      });
      assert.deepEqual(
        (await listed(book)).map(({ name }) => name),
        ['No UID', 'No UID', 'Un', 'Yksi'],
      );
    });

    test('a card that is no contact is skipped with its index and a reason, and the rest is taken without what has no field (CONTACT-30, CONTACT-31)', async () => {
      const book = await newBook();
      const report = await importCards(
        app,
        book,
        [
          vcard('FN:Zero'),
          vcard('NOTE:nobody'),
          vcard(`FN:${'x'.repeat(256)}`),
          vcard('FN:Three', `UID:${'u'.repeat(256)}`),
          vcard('FN:Four', ...Array.from({ length: 101 }, (_, i) => `TEL:${i}`)),
          vcard('EMAIL:five@example.org', 'PHOTO:data:image/png;base64,iVBORw0KGgo=', 'BDAY:18151210'),
          vcard('KIND:group', 'FN:Club', 'MEMBER:urn:uuid:1'),
          'BEGIN:VCARD\r\nFN:Seven',
        ].join(''),
      );
      assert.deepEqual([report.created, report.updated], [2, 0]);
      assert.deepEqual(
        report.skipped.map(({ index, reason }: { index: number; reason: string }) => [
          index,
          reason.slice(0, 24),
        ]),
        [
          [1, 'It has no name, organiza'],
          [2, 'name: Give a string of a'],
          [3, 'Its UID has more than 25'],
          [4, 'phones: Give an array of'],
          [6, 'It describes a group, no'],
          [7, 'It has no END:VCARD.'],
        ],
      );
      assert.deepEqual((await listed(book)).map(fieldsOf), [
        { name: 'five@example.org', emails: [{ address: 'five@example.org' }] },
        { name: 'Zero' },
      ]);
    });

    test('cards of the versions 3.0 and 4.0 are imported from one body (CONTACT-29)', async () => {
      const book = await newBook();
      const old =
        'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Old\r\nEMAIL;TYPE=INTERNET,WORK:old@x.example\r\nEND:VCARD\r\n';
      const report = await importCards(app, book, old + vcard('FN:New', 'EMAIL;TYPE=work:new@x.example'));
      assert.deepEqual(report, { created: 2, updated: 0, skipped: [] });
      assert.deepEqual((await listed(book)).map(fieldsOf), [
        { name: 'New', emails: [{ address: 'new@x.example', type: 'work' }] },
        { name: 'Old', emails: [{ address: 'old@x.example', type: 'work' }] },
      ]);
    });

    test('an empty body is no error, and a repeat gets the first answer', async () => {
      const book = await newBook();
      assert.deepEqual(await importCards(app, book, ''), { created: 0, updated: 0, skipped: [] });
      const idempotencyKey = randomUUID();
      const first = await importCards(app, book, vcard('FN:Once'), { idempotencyKey });
      assert.deepEqual(await importCards(app, book, vcard('FN:Once'), { idempotencyKey }), first);
      assert.equal((await listed(book)).length, 1);
    });

    test("nobody exports or fills another's book", async () => {
      const colleague = await makeUser(app);
      const { key } = await makeKey(app, ALL_PERMISSIONS, { user_id: colleague.id });
      const book = await firstBook(app);
      assert.equal((await app.get(`/v1/address-books/${book}/export`, { key })).status, 404);
      const headers = { 'content-type': 'text/vcard' };
      const path = `/v1/address-books/${book}/import`;
      assert.equal((await app.request('POST', path, { key, headers, body: vcard('FN:x') })).status, 404);
    });

    // Cards and bytes are counted before a database is asked: one engine will do.
    test('an import takes 64 MiB and no byte more (CONTACT-29)', { skip: engine !== 'sqlite' }, async () => {
      const book = await newBook();
      const [before = '', after = ''] = vcard('FN:Pictured', 'PHOTO:data:image/png;base64,@').split('@');
      const fullSize = 64 * 1024 * 1024;
      const photo = Buffer.alloc(fullSize - before.length - after.length, 'A');
      const full = Buffer.concat([Buffer.from(before), photo, Buffer.from(after)]);
      assert.equal(full.length, fullSize);
      assert.deepEqual(await importCards(app, book, full), { created: 1, updated: 0, skipped: [] });
      const headers = { 'content-type': 'text/vcard' };
      const body = Buffer.concat([full, Buffer.from('\n')]);
      const { status, json } = await app.request('POST', `/v1/address-books/${book}/import`, {
        body,
        headers,
      });
      assert.deepEqual([status, json.error.code], [413, 'payload_too_large']);
    });

    test('a body with more than 100,000 cards is refused whole (CONTACT-29)', {
      skip: engine !== 'sqlite',
    }, async () => {
      const book = await newBook();
      const headers = { 'content-type': 'text/vcard' };
      const body = 'BEGIN:VCARD\nFN:x\nEND:VCARD\n'.repeat(100_001);
      const { status, json } = await app.request('POST', `/v1/address-books/${book}/import`, {
        body,
        headers,
      });
      assert.equal(status, 413);
      assert.deepEqual([json.error.code, json.error.details], ['payload_too_large', { max_cards: 100_000 }]);
      assert.deepEqual(await listed(book), []);
    });

    test('a long export is streamed whole while contacts change their names', async () => {
      const book = await newBook();
      const cards = Array.from({ length: 1_200 }, (_, i) => vcard(`UID:u${i}`, `FN:${i}`));
      assert.equal((await importCards(app, book, cards.join(''))).created, 1_200);
      const [first] = await listed(book);
      const [text] = await Promise.all([
        exportCards(app, book),
        app.put(`/v1/contacts/${first.id}`, { name: 'zzz' }),
      ]);
      const uids = [...text.matchAll(/^UID:(.+)\r$/gm)].map(([, uid]) => uid);
      assert.equal(uids.length, 1_200);
      assert.equal(new Set(uids).size, 1_200);
    });

    test('the corpus is imported or skipped with a reason', {
      skip: corpus().length === 0 && 'no ../shared/corpus',
    }, async () => {
      const [from, to] = [await newBook(), await newBook()];
      let taken = 0;
      for (const file of corpus()) {
        const report = await importCards(app, from, readFileSync(join(CORPUS, file)));
        const told = report.created + report.updated + report.skipped.length;
        assert.ok(told > 0, `${file}: nothing is said of it`);
        for (const { reason } of report.skipped) assert.match(reason, /^[A-Z].+\.$/);
        taken += report.created + report.updated;
      }
      assert.ok(taken >= 75, `${taken} taken`);
      await importCards(app, to, await exportCards(app, from));
      const sorted = async (book: string) =>
        (await listed(book))
          .map(fieldsOf)
          .map((it) => JSON.stringify(it))
          .sort();
      assert.deepEqual(await sorted(to), await sorted(from));
    });
  });
});

function corpus(): string[] {
  try {
    return readdirSync(CORPUS).sort();
  } catch {
    return [];
  }
}
