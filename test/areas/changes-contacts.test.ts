import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { changesFor, changesOf, told } from './changes-feed.ts';
import { createContact, firstBook, importCards, vcard } from './contacts-world.ts';

forEachEngine((engine) => {
  describe('changes of contacts', () => {
    let app: TestApp;
    let book: string;
    let colleagueKey: string;
    const trash = async (id: string) => assert.equal((await app.delete(`/v1/contacts/${id}`)).status, 204);

    before(async () => {
      app = await startApp(engine);
      book = await firstBook(app);
      const { id } = await makeUser(app);
      colleagueKey = (await makeKey(app, ['contacts.read', 'contacts.write'], { user_id: id })).key;
    });
    after(() => app.stop());

    test('a contact tells its owner, and nobody else, that it is created, changed, trashed and restored (CHANGE-40)', async () => {
      let id = '';
      const [mine, theirs] = await changesFor(app, [undefined, colleagueKey], async () => {
        ({ id } = await createContact(app, book, { name: 'Ada' }));
        data(await app.put(`/v1/contacts/${id}`, { title: 'Countess' }));
        await trash(id);
        data(await app.post(`/v1/contacts/${id}/restore`));
      });
      const ids = { address_book_id: book, contact_id: id };
      assert.deepEqual(told(mine ?? []), [
        ['contact.created', ids],
        ['contact.changed', ids],
        ['contact.trashed', ids],
        ['contact.restored', ids],
      ]);
      assert.deepEqual(theirs, []);
    });

    test('a contact that moves names the book where it is now (CHANGE-40)', async () => {
      const { id } = await createContact(app, book, { name: 'Ada' });
      let other = '';
      const changes = await changesOf(app, undefined, async () => {
        other = data(await app.post('/v1/address-books', { name: 'Club' }), 201).id;
        data(await app.put(`/v1/contacts/${id}`, { address_book_id: other }));
        data(await app.put(`/v1/address-books/${other}`, { name: 'Old club' }));
      });
      assert.deepEqual(told(changes), [
        ['address_book.created', { address_book_id: other }],
        ['contact.changed', { address_book_id: other, contact_id: id }],
        ['address_book.changed', { address_book_id: other }],
      ]);
    });

    test('a contact that is trashed twice, or restored twice, tells of it once (CHANGE-1, CHANGE-40)', async () => {
      const { id } = await createContact(app, book, { name: 'Ada' });
      const changes = await changesOf(app, undefined, async () => {
        for (const _ of [1, 2]) await trash(id);
        for (const _ of [1, 2]) data(await app.post(`/v1/contacts/${id}/restore`));
      });
      assert.deepEqual(
        changes.map(({ type }) => type),
        ['contact.trashed', 'contact.restored'],
      );
    });

    test('a change that a contact or an address book has already tells of nothing (CHANGE-1, CHANGE-40)', async () => {
      const emails = [{ address: 'ada@example.org', type: 'work' }];
      const contact = await createContact(app, book, { given_name: 'Ada', emails });
      const listed = data(await app.get('/v1/address-books'))[0];
      const { name, description } = listed;
      const changes = await changesOf(app, undefined, async () => {
        const same = { given_name: 'Ada', emails, title: '', address_book_id: book };
        assert.deepEqual(data(await app.put(`/v1/contacts/${contact.id}`, same)), contact);
        assert.deepEqual(data(await app.put(`/v1/address-books/${book}`, { name, description })), listed);
      });
      assert.deepEqual(changes, []);
    });

    test('an import tells of all its contacts in one change of each type (CHANGE-3, CHANGE-41)', async () => {
      const cards = (count: number, title = 'Clerk') =>
        Array.from({ length: count }, (_, i) =>
          vcard(`UID:batch-${i}`, `FN:Person ${i}`, `TITLE:${title}`),
        ).join('');
      const [created] = await changesOf(app, undefined, () => importCards(app, book, cards(600)));
      assert.equal(created?.type, 'contact.created');
      assert.equal(created?.ids.address_book_id, book);
      const ids = created?.ids.contact_ids as string[];
      assert.equal(new Set(ids).size, 600);
      const { id } = data(await app.get(`/v1/contacts?q=Person 7&limit=1`))[0];
      assert.ok(ids.includes(id));
      await trash(id);
      const again = await changesOf(app, undefined, () => importCards(app, book, cards(601, 'Chief')));
      assert.deepEqual(
        again.map(({ type, ids: { contact_ids } }) => [type, contact_ids.length]),
        [
          ['contact.created', 1],
          ['contact.restored', 1],
          ['contact.changed', 600],
        ],
      );
      assert.deepEqual(again[1]?.ids, { address_book_id: book, contact_ids: [id] });
    });

    test('a card that a contact has already tells of nothing, and takes it out of the trash (CHANGE-1, CHANGE-41)', async () => {
      const card = vcard('UID:same', 'FN:Same', 'EMAIL;TYPE=work:same@example.org');
      await importCards(app, book, card);
      const read = async () => data(await app.get('/v1/contacts?q=same@example.org'))[0];
      const contact = await read();
      const again = () => importCards(app, book, card);
      const changes = await changesOf(app, undefined, async () => {
        assert.deepEqual(await again(), { created: 0, updated: 1, skipped: [] });
      });
      assert.deepEqual(changes, []);
      await trash(contact.id);
      const ids = { address_book_id: book, contact_ids: [contact.id] };
      assert.deepEqual(told(await changesOf(app, undefined, again)), [['contact.restored', ids]]);
      assert.deepEqual(await read(), contact);
    });

    test('an import of more than a thousand contacts tells of them in several changes (CHANGE-3)', async () => {
      const cards = Array.from({ length: 1_001 }, (_, i) => vcard(`FN:Other ${i}`)).join('');
      const changes = await changesOf(app, undefined, () => importCards(app, book, cards));
      assert.deepEqual(
        changes.map(({ type, ids: { contact_ids } }) => [type, contact_ids.length]),
        [
          ['contact.created', 1_000],
          ['contact.created', 1],
        ],
      );
    });

    test('an import that stores nothing, and one that is refused, tell of nothing (CHANGE-1)', async () => {
      const changes = await changesOf(app, undefined, async () => {
        await importCards(app, book, 'BEGIN:VCARD\r\nVERSION:4.0\r\nEND:VCARD\r\n');
        const headers = { 'content-type': 'text/vcard' };
        const body = vcard('FN:Nobody');
        const { status } = await app.request('POST', '/v1/address-books/abk_x/import', { body, headers });
        assert.equal(status, 404);
      });
      assert.deepEqual(changes, []);
    });
  });
});
