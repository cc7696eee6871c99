/** What a search finds while the search index has still to follow what was written, and when it has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brokenRules } from '../../src/start/verification.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { NODES } from '../nodes/count.ts';
import { data, readPages } from './accounts.ts';
import { allIndexed, countToIndex, createContact, importCards, vcard } from './contacts-world.ts';
import { serveProcess } from './served-process.ts';

const CARDS = 240;
const FRAGMENTS = ['anna', 'an', '7', 'u11@host', 'host.com', 'nobody', 'b 00', 'renamed'];
/** More than is followed at once, and more than the index takes of one contact. */
const LONG = Array.from({ length: 40 }, (_, i) => ({ address: `${'xyz'.repeat(40)}${i}@long.example` }));

/** Other nodes would go on. */
const alone = { skip: NODES > 1 };

function cards(name: string): string {
  return Array.from({ length: CARDS }, (_, i) =>
    vcard(
      `UID:u${i}`,
      `FN:${i % 2 ? 'anna' : 'Bob'} ${String(i).padStart(4, '0')} ${name}`,
      `EMAIL:u${i}@host.com`,
    ),
  ).join('');
}

forEachEngine((engine) => {
  describe('searching contacts while the index follows', alone, () => {
    let app: TestApp;
    const faults: unknown[] = [];
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const rest = () => app.services.contactIndexer.stop();
    const goOn = async () => {
      app.services.contactIndexer.start((fault) => faults.push(fault));
      app.services.contactIndexer.wake();
      await allIndexed(app);
      assert.deepEqual(faults, []);
    };
    const newBook = async () => data(await app.post('/v1/address-books', { name: 'B' }), 201).id;
    const countGrams = async (bookId: string) => {
      const { count } = await app.services.database.read((tx) =>
        tx
          .selectFrom('contact_grams')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('address_book_id', '=', bookId)
          .executeTakeFirstOrThrow(),
      );
      return Number(count);
    };

    /** Pages of one size are remembered, so that each look needs another. */
    let limit = 5;
    const found = async (bookId: string, q: string, trashed = false): Promise<string[]> => {
      const query = new URLSearchParams({ address_book_id: bookId, q, trashed: String(trashed) });
      return (await readPages(app, `/v1/contacts?${query}`, limit)).map(({ name }) => name);
    };

    /** That each fragment finds in each partition what contains it, in order, and that nothing is wrong with the index. */
    const assertFound = async (bookId: string) => {
      limit++;
      for (const trashed of [false, true]) {
        const all = await readPages(app, `/v1/contacts?address_book_id=${bookId}&trashed=${trashed}`, 200);
        for (const q of FRAGMENTS) {
          const holds = ({ name, emails = [] }: { name: string; emails?: { address: string }[] }) =>
            [name, ...emails.map(({ address }) => address)].some((it) => it.toLowerCase().includes(q));
          const expected = all.filter(holds).map(({ name }) => name);
          assert.deepEqual(await found(bookId, q, trashed), expected, `${q} ${trashed}`);
        }
      }
      assert.deepEqual(await brokenRules(app.services.database), []);
    };
    /** The same before and after the index has followed. */
    const assertFoundAlways = async (...bookIds: string[]) => {
      assert.notEqual(await countToIndex(app), 0);
      for (const id of bookIds) await assertFound(id);
      await goOn();
      for (const id of bookIds) await assertFound(id);
      await rest();
    };

    test('an import is found at once, and writes no entry of the index', async () => {
      const book = await newBook();
      await rest();
      await importCards(app, book, cards('one'));
      assert.equal(await countGrams(book), 0);
      assert.equal((await found(book, 'anna')).length, CARDS / 2);
      await assertFoundAlways(book);
      assert.notEqual(await countGrams(book), 0);
    });

    test('an import that replaces what is indexed, and one that replaces what is not yet', async () => {
      const book = await newBook();
      await importCards(app, book, cards('one'));
      await goOn();
      await rest();
      const entries = await countGrams(book);
      await importCards(app, book, cards('another'));
      assert.equal(await countGrams(book), entries);
      await importCards(app, book, cards('third'));
      assert.deepEqual(await found(book, 'another'), []);
      await assertFoundAlways(book);
      assert.equal((await found(book, 'third')).length, CARDS);
    });

    test('what is renamed, trashed, restored and moved meanwhile', async () => {
      const [book, other] = [await newBook(), await newBook()];
      await importCards(app, book, cards('one'));
      await goOn();
      await rest();
      await importCards(app, book, cards('two'));
      const all = await readPages(app, `/v1/contacts?address_book_id=${book}`, 200);
      for (const [i, { id }] of all.slice(0, 48).entries()) {
        const path = `/v1/contacts/${id}`;
        if (i % 2 === 0) await app.put(path, { name: `renamed ${i}` });
        if (i % 3 === 0) await app.delete(path);
        if (i % 4 === 0) await app.put(path, { address_book_id: other });
        if (i % 6 === 0) await app.post(`${path}/restore`);
        if (i % 8 === 0) await app.put(path, { address_book_id: book });
        if (i % 9 === 0) await app.put(path, { emails: LONG });
        if (i % 18 === 0) await app.put(path, { emails: [{ address: 'u11@host.com' }] });
      }
      await assertFoundAlways(book, other);
    });

    test('one contact more is followed at once, whoever else waits', async () => {
      const book = await newBook();
      await rest();
      await importCards(app, book, cards('one'));
      const waiting = await countToIndex(app);
      const made = await createContact(app, book, { name: 'renamed anna' });
      await app.put(`/v1/contacts/${made.id}`, { name: 'renamed bob' });
      await app.delete(`/v1/contacts/${made.id}`);
      assert.equal(await countToIndex(app), waiting);
      assert.notEqual(await countGrams(book), 0);
      await assertFoundAlways(book);
    });

    test('what is too long for the index is found by any part of it, and indexed when it is short', async () => {
      const book = await newBook();
      await goOn();
      const [many, one] = [LONG, LONG.slice(0, 1)];
      const made = await createContact(app, book, { name: 'Long', emails: many });
      const short = await createContact(app, book, { name: 'Short', emails: one });
      assert.equal(await countToIndex(app), 0);
      for (const q of ['long', 'zxyzxyzx', 'yz']) assert.deepEqual(await found(book, q), ['Long', 'Short']);
      assert.deepEqual(await found(book, '39@long'), ['Long']);
      const entries = await countGrams(book);
      await app.put(`/v1/contacts/${short.id}`, { emails: many });
      assert.equal(await countGrams(book), 0);
      await app.put(`/v1/contacts/${made.id}`, { emails: one });
      await app.put(`/v1/contacts/${short.id}`, { emails: one });
      assert.ok((await countGrams(book)) > entries);
      assert.deepEqual(await found(book, '39@long'), []);
      assert.deepEqual(await found(book, 'xyzxyz0@long'), ['Long', 'Short']);
      assert.deepEqual(await brokenRules(app.services.database), []);
    });

    test('a window of long texts is looked through to its end', async () => {
      const book = await newBook();
      const long = (i: number) => vcard(`FN:n${100 + i}`, ...LONG.map(({ address }) => `EMAIL:${address}`));
      const many = Array.from({ length: 130 }, (_, i) => long(i));
      await importCards(app, book, many.join('') + vcard('FN:z', 'EMAIL:needle@x.example'));
      assert.deepEqual(await found(book, 'needle'), ['z']);
      assert.equal((await found(book, '17@long')).length, 130);
    });
  });
});

test('a server that is killed before the index has followed goes on when it is started again', async () => {
  const storage = await freshDatabase('sqlite');
  const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_DATABASE_URL: '' };
  const inDatabase = async <T>(work: (database: StorageEngine) => Promise<T>) => {
    const database = await openDatabase(storage);
    return work(database).finally(() => database.close());
  };
  const noted = (database: StorageEngine) =>
    database.read((tx) => tx.selectFrom('contacts_to_index').select('number').limit(1).execute());
  try {
    const first = await serveProcess(settings);
    const headers = { authorization: `Bearer ${OWNER_KEY}` };
    const books = await (await fetch(`${first.address}/v1/address-books`, { headers })).text();
    const answer = await fetch(`${first.address}/v1/address-books/${JSON.parse(books).data[0].id}/import`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'one', 'content-type': 'text/vcard' },
      body: Array.from({ length: 20 }, (_, i) => cards(`part ${i}`).replaceAll('UID:', `UID:${i}`)).join(''),
    });
    assert.equal(answer.status, 200);
    await first.kill();
    assert.notDeepEqual(await inDatabase(noted), []);
    assert.deepEqual(await inDatabase(brokenRules), []);
    const second = await serveProcess(settings);
    await eventually(async () => (await inDatabase(noted)).length === 0, 'the index has followed');
    await second.kill();
    assert.deepEqual(await inDatabase(brokenRules), []);
  } finally {
    await storage.remove();
  }
});
