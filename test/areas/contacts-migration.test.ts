import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listBooks } from '../../src/areas/contacts/books/book-store.ts';
import { createBook } from '../../src/areas/contacts/books/books.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { migrate } from '../../src/storage/schema/migrate.ts';
import { migrations } from '../../src/storage/schema/migrations/index.ts';
import type { Users } from '../../src/storage/schema/tables.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';

const USER = {
  workspace_id: 'wsp_1',
  name: 'Early',
  email: 'early@example.org',
  aliases: '[]',
  is_owner: 0,
  state: 'active',
  share_availability: 1,
  time_zone: 'UTC',
  search_text: '',
  created_at: 0,
  updated_at: 0,
} as const;

forEachEngine((engine) => {
  test('users who are older than address books get their first one', async (t) => {
    const settings = await freshDatabase(engine);
    const database = await openDatabase(settings);
    t.after(async () => {
      await database.close();
      await settings.remove();
    });
    const before = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === '0008-contacts'),
    );
    await migrate(database, before);
    await database.write((tx) =>
      tx
        .insertInto('users')
        .values(['usr_a', 'usr_b'].map((id) => ({ ...USER, id }) as Users))
        .execute(),
    );
    await migrate(database);
    for (const userId of ['usr_a', 'usr_b']) {
      const owner = { workspaceId: 'wsp_1', userId };
      await database.write((tx) => createBook(tx, owner, { name: 'Second' }));
      const books = await database.read(async (tx) => (await Array.fromAsync(listBooks(tx, owner))).flat());
      assert.deepEqual(
        books.map(({ name }) => name),
        ['Contacts', 'Second'],
      );
      assert.match(books[0]?.id ?? '', /^abk_/);
    }
  });
});
