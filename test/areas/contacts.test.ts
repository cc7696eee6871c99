import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser, makeWorkspace, problems } from './accounts.ts';
import { createContact, firstBook } from './contacts-world.ts';

const ADA = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  emails: [{ address: 'countess@example.org' }, { address: 'ada@example.org', type: 'work' }],
  phones: [
    { number: '+44 20 7946 0000', type: 'cell' },
    { number: '+1 555 0100', type: 'Büro, 2. Stock' },
  ],
  organization: 'Analytical Engines',
  title: 'Programmer',
  notes: 'First.\nSecond, with "quotes"; and more.',
};

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

forEachEngine((engine) => {
  describe('address books and contacts', () => {
    let app: TestApp;
    let book: string;

    before(async () => {
      app = await startApp(engine);
      book = await firstBook(app);
    });
    after(() => app.stop());

    const count = async (bookId: string) =>
      data(await app.get('/v1/address-books')).find(({ id }: { id: string }) => id === bookId).contact_count;

    test('each user starts with one address book, which is listed without pages (CONTACT-3, CONTACT-4)', async () => {
      const { json } = await app.get('/v1/address-books');
      assert.deepEqual(
        json.data.map(({ name, description }: Record<string, string>) => ({ name, description })),
        [{ name: 'Contacts', description: '' }],
      );
      assert.equal(json.pagination, undefined);
      const user = await makeUser(app);
      const { key } = await makeKey(app, ['contacts.read'], { user_id: user.id });
      assert.equal(data(await app.get('/v1/address-books', { key })).length, 1);
    });

    test('address books are listed in order of creation and changed field by field (CONTACT-2, CONTACT-4, CONTACT-5, CONTACT-6)', async () => {
      const made = data(await app.post('/v1/address-books', { name: 'Club', description: 'Members' }), 201);
      const { id, created_at, updated_at, ...fields } = made;
      assert.match(id, /^abk_/);
      assert.match(created_at, TIMESTAMP);
      assert.equal(updated_at, created_at);
      assert.deepEqual(fields, { name: 'Club', description: 'Members', contact_count: 0 });
      const path = `/v1/address-books/${made.id}`;
      const renamed = data(await app.put(path, { name: 'Chess club' }));
      assert.deepEqual({ ...made, name: 'Chess club', updated_at: renamed.updated_at }, renamed);
      assert.equal(data(await app.put(path, { description: '' })).description, '');
      const [first, second] = data(await app.get('/v1/address-books'));
      assert.equal(first.id, book);
      assert.equal(second.name, 'Chess club');
    });

    test('a contact comes back as it was given, its addresses and numbers in their order and with any labels (CONTACT-7, CONTACT-8, CONTACT-9, CONTACT-10, CONTACT-11, CONTACT-12, CONTACT-13, CONTACT-14, CONTACT-23)', async () => {
      const made = await createContact(app, book, ADA);
      const { id, address_book_id, created_at, updated_at, ...fields } = made;
      assert.match(id, /^con_/);
      assert.equal(address_book_id, book);
      assert.match(created_at, TIMESTAMP);
      assert.equal(created_at, updated_at);
      assert.deepEqual(fields, ADA);
      assert.deepEqual(data(await app.get(`/v1/contacts/${id}`)), made);
      assert.deepEqual(data(await app.get('/v1/contacts?q=lovelace')), [made]);
    });

    test('every line break of notes becomes \\n (CONTACT-13)', async () => {
      const made = await createContact(app, book, { name: 'Lines', notes: 'a\r\nb\rc\n\r\nd' });
      assert.equal(made.notes, 'a\nb\nc\n\nd');
      assert.equal(data(await app.put(`/v1/contacts/${made.id}`, { notes: '\r\n' })).notes, '\n');
    });

    test('empty fields are omitted from a single contact and from a list (CONTACT-15)', async () => {
      const empty = { given_name: '', emails: [], phones: [], organization: '', title: '', notes: '' };
      const made = await createContact(app, book, { name: 'Bare Minimum', ...empty });
      assert.deepEqual(Object.keys(made), ['id', 'address_book_id', 'name', 'created_at', 'updated_at']);
      assert.deepEqual(data(await app.get('/v1/contacts?q=bare')), [made]);
      const labelled = await createContact(app, book, { emails: [{ address: 'x@y.example', type: '' }] });
      assert.deepEqual(labelled.emails, [{ address: 'x@y.example' }]);
    });

    test('an absent name is made of the other fields but the job title, and follows them (CONTACT-12, CONTACT-23, CONTACT-25)', async () => {
      const made = async (fields: object) => (await createContact(app, book, fields)).name;
      assert.equal(
        await made({ given_name: 'Grace', family_name: 'Hopper', organization: 'Navy' }),
        'Grace Hopper',
      );
      assert.equal(await made({ family_name: 'Turing', title: 'Dr' }), 'Turing');
      assert.equal(await made({ name: '', organization: 'Navy', emails: [{ address: 'a@b' }] }), 'Navy');
      assert.equal(await made({ emails: [{ address: 'a@b' }], phones: [{ number: '1' }] }), 'a@b');
      assert.equal(await made({ phones: [{ number: '112' }] }), '112');
      assert.equal(await made({ organization: 'Navy' }), 'Navy');
      assert.equal(await made({ emails: [{ address: 'a@b' }] }), 'a@b');
      const { id } = await createContact(app, book, { given_name: 'Alan' });
      const put = async (changes: object) => data(await app.put(`/v1/contacts/${id}`, changes)).name;
      assert.equal(await put({ family_name: 'Turing' }), 'Alan Turing');
      assert.equal(await put({ name: 'Prof' }), 'Prof');
      assert.equal(await put({ given_name: 'A.' }), 'Prof');
      assert.equal(await put({ name: '' }), 'A. Turing');
    });

    test('a contact without a name, organization, address or number is refused, also as the outcome of a change (CONTACT-24)', async () => {
      for (const fields of [{}, { title: 'Dr', notes: 'x' }, { name: '', emails: [], phones: [] }]) {
        const { status, json } = await app.post('/v1/contacts', { address_book_id: book, ...fields });
        assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
        assert.partialDeepStrictEqual(json.error.details, problems(['', 'invalid']));
      }
      const { id } = await createContact(app, book, { name: 'Solo', title: 'x' });
      const refused = await app.put(`/v1/contacts/${id}`, { name: '' });
      assert.deepEqual([refused.status, refused.json.error.code], [400, 'validation_failed']);
      assert.equal(data(await app.get(`/v1/contacts/${id}`)).name, 'Solo');
      const empty = { name: '', given_name: '', family_name: '', organization: '', emails: [], phones: [] };
      assert.equal((await app.put('/v1/contacts/con_unknown', empty)).status, 400);
    });

    test('blanks name nothing: a line of them counts as empty', async () => {
      const book = await firstBook(app);
      const blank = ' \u00a0\u3000\u200b\u3164';
      for (const fields of [
        { name: blank },
        { given_name: ' ', family_name: blank, organization: blank, emails: [], phones: [] },
        { name: 'N', emails: [{ address: blank }] },
        { name: 'N', phones: [{ number: ' ' }] },
      ]) {
        const answer = await app.post('/v1/contacts', { address_book_id: book, ...fields });
        assert.deepEqual([answer.status, answer.json?.error.code], [400, 'validation_failed']);
      }
      const emails = [{ address: 'ada@example.org', type: blank }];
      const made = await createContact(app, book, { name: blank, family_name: ' ', title: blank, emails });
      assert.deepEqual(
        [made.name, made.family_name, made.title, made.emails],
        ['ada@example.org', undefined, undefined, [{ address: 'ada@example.org' }]],
      );
      const emptied = await app.put(`/v1/contacts/${made.id}`, { emails: [], organization: blank });
      assert.deepEqual([emptied.status, emptied.json.error.code], [400, 'validation_failed']);
      const named = data(await app.put(`/v1/contacts/${made.id}`, { given_name: ' Ada ' }));
      assert.deepEqual([named.name, named.given_name], [' Ada ', ' Ada ']);
    });

    test('a refusal names every problem of a contact (CONTACT-9, CONTACT-10)', async () => {
      const { status, json } = await app.post('/v1/contacts', {
        address_book_id: book,
        name: 'a\u0001b',
        emails: [{ address: '' }, { type: 'work' }, { address: 'a@b', label: 'x' }],
        phones: [{ number: 5 }, { type: 'cell' }],
        title: 'x'.repeat(256),
        notes: '\u0007',
        nickname: 'A',
      });
      assert.equal(status, 400);
      const found = json.error.details.errors.map(({ pointer, code }: Record<string, string>) => [
        pointer,
        code,
      ]);
      assert.deepEqual(found.sort(), [
        ['/emails/0/address', 'too_short'],
        ['/emails/1/address', 'required'],
        ['/emails/2/label', 'unknown_field'],
        ['/name', 'wrong_format'],
        ['/nickname', 'unknown_field'],
        ['/notes', 'wrong_format'],
        ['/phones/0/number', 'wrong_type'],
        ['/phones/1/number', 'required'],
        ['/title', 'too_long'],
      ]);
    });

    test('a field of a contact that is longer than its limit is refused (CONTACT-16)', async () => {
      const items = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);
      for (const [fields, pointer, code] of [
        ...['name', 'given_name', 'family_name', 'organization', 'title'].map(
          (field) => [{ [field]: 'x'.repeat(256) }, `/${field}`, 'too_long'] as const,
        ),
        [{ emails: [{ address: 'x'.repeat(321) }] }, '/emails/0/address', 'too_long'],
        [{ emails: [{ address: 'a@b', type: 'x'.repeat(256) }] }, '/emails/0/type', 'too_long'],
        [{ phones: [{ number: '1'.repeat(256) }] }, '/phones/0/number', 'too_long'],
        [{ phones: [{ number: '1', type: 'x'.repeat(256) }] }, '/phones/0/type', 'too_long'],
        [{ notes: 'x'.repeat(50_001) }, '/notes', 'too_long'],
        [{ emails: items(101).map((address) => ({ address })) }, '/emails', 'too_many'],
        [{ phones: items(101).map((number) => ({ number })) }, '/phones', 'too_many'],
      ] as const) {
        const { status, json } = await app.post('/v1/contacts', {
          address_book_id: book,
          name: 'N',
          ...fields,
        });
        assert.equal(status, 400, pointer);
        assert.partialDeepStrictEqual(json.error.details, problems([pointer, code]));
      }
    });

    test('a change of a contact replaces the fields that are sent and no others, and an empty one clears its field (CONTACT-26)', async () => {
      const made = await createContact(app, book, ADA);
      const path = `/v1/contacts/${made.id}`;
      const changes = { emails: [{ address: 'new@example.org' }], phones: [], notes: '' };
      const changed = data(await app.put(path, changes));
      const { notes, phones, ...rest } = made;
      assert.deepEqual(changed, {
        ...rest,
        emails: [{ address: 'new@example.org' }],
        updated_at: changed.updated_at,
      });
      assert.ok(changed.updated_at >= made.updated_at);
      assert.deepEqual(data(await app.get('/v1/contacts?q=new@example.org')), [changed]);
    });

    test('a contact moves to the address book that a change names, with its search and its count (CONTACT-1, CONTACT-18, CONTACT-26)', async () => {
      const other = data(await app.post('/v1/address-books', { name: 'Other' }), 201).id;
      const { id } = await createContact(app, book, { name: 'Moving Target' });
      const before = await count(book);
      assert.equal(
        data(await app.put(`/v1/contacts/${id}`, { address_book_id: other })).address_book_id,
        other,
      );
      assert.deepEqual([await count(book), await count(other)], [before - 1, 1]);
      assert.equal(data(await app.get(`/v1/contacts?q=moving&address_book_id=${other}`)).length, 1);
      assert.equal(data(await app.get(`/v1/contacts?q=moving&address_book_id=${book}`)).length, 0);
      const unknown = await app.put(`/v1/contacts/${id}`, { address_book_id: 'abk_nobody' });
      assert.equal(unknown.status, 404);
      assert.equal(unknown.json.error.details.resource, 'address_book');
    });

    test('the trash takes a contact out of listings and counts, shows it by its id, and gives it back (CONTACT-2, CONTACT-20, CONTACT-22, CONTACT-27, CONTACT-28)', async () => {
      const made = await createContact(app, book, { name: 'Gone Girl' });
      const path = `/v1/contacts/${made.id}`;
      const before = await count(book);
      for (const repeat of [1, 2]) {
        const removed = await app.delete(path);
        assert.equal(removed.status, 204, `${repeat}`);
        assert.equal(removed.text, '');
      }
      assert.equal(await count(book), before - 1);
      assert.deepEqual(data(await app.get('/v1/contacts?q=gone')), []);
      assert.deepEqual(data(await app.get('/v1/contacts?q=gone&trashed=false')), []);
      assert.deepEqual(data(await app.get('/v1/contacts?q=gone&trashed=true')), [made]);
      assert.deepEqual(data(await app.get(path)), made);
      assert.equal(data(await app.put(path, { title: 'Ghost' })).title, 'Ghost');
      for (const repeat of [1, 2]) {
        assert.equal(data(await app.post(`${path}/restore`)).id, made.id, `${repeat}`);
      }
      assert.equal(await count(book), before);
      assert.equal(data(await app.get('/v1/contacts?q=gone')).length, 1);
      assert.deepEqual(data(await app.get('/v1/contacts?q=gone&trashed=true')), []);
    });

    test('nobody else sees or changes any of it', async () => {
      const colleague = await makeUser(app);
      const keys = [
        (await makeKey(app, ALL_PERMISSIONS, { user_id: colleague.id })).key,
        (await makeWorkspace(app)).key,
      ];
      const { id } = await createContact(app, book, { name: 'Private Person' });
      for (const key of keys) {
        assert.deepEqual(data(await app.get('/v1/contacts?q=private', { key })), []);
        assert.deepEqual(data(await app.get(`/v1/contacts?address_book_id=${book}`, { key })), []);
        const created = await app.post('/v1/contacts', { address_book_id: book, name: 'x' }, { key });
        assert.equal(created.status, 404);
        const own = await createContact(app, await firstBook(app, { key }), { name: 'Mine' }, { key });
        const moved = await app.put(`/v1/contacts/${own.id}`, { address_book_id: book }, { key });
        assert.equal(moved.status, 404);
        for (const method of ['GET', 'DELETE'])
          assert.equal((await app.request(method, `/v1/contacts/${id}`, { key })).status, 404);
      }
    });

    test('contacts that are created at once are all counted', async () => {
      const many = data(await app.post('/v1/address-books', { name: 'Many' }), 201).id;
      await Promise.all(Array.from({ length: 20 }, (_, i) => createContact(app, many, { name: `P ${i}` })));
      assert.equal(await count(many), 20);
      assert.equal(data(await app.get(`/v1/contacts?address_book_id=${many}`)).length, 20);
    });

    test('a contact that reaches every limit is kept, ordered and found (CONTACT-16)', async () => {
      const name = `${'\ufdfa'.repeat(250)}zebra`;
      const items = Array.from({ length: 100 }, (_, i) => `${i}@`.padEnd(312, 'x').concat('.example'));
      const made = await createContact(app, book, {
        name,
        emails: items.map((address) => ({ address, type: 'y'.repeat(255) })),
        phones: items.map((_, i) => ({ number: `${i}`.padEnd(255, '0') })),
        notes: 'ß'.repeat(50_000),
      });
      assert.equal(made.name, name);
      assert.deepEqual([made.emails.length, made.phones.length, made.notes.length], [100, 100, 50_000]);
      assert.deepEqual(data(await app.get(`/v1/contacts?q=${encodeURIComponent('99@xxx')}`)), [made]);
      assert.deepEqual(data(await app.get('/v1/contacts?q=zebra')), [made]);
      assert.equal((await app.delete(`/v1/contacts/${made.id}`)).status, 204);
    });
  });
});
