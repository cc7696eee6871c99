import { randomUUID } from 'node:crypto';
import type { ColumnDefinitionBuilder } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Migration, Schema } from '../schema.ts';
import type { SchemaTransaction } from '../schema-transaction.ts';

/** Address books and contacts, and a first book for the users that there are. */
export const contacts: Migration = {
  name: '0008-contacts',
  async up(schema) {
    await createAddressBooks(schema);
    await createContacts(schema);
    await createContactGrams(schema);
    await makeFirstBooks(schema.tx);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createAddressBooks({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('address_books')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('description', text, kept)
    .addColumn('contact_count', integer, kept)
    .addColumn('revision', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('address_books_key', ['workspace_id', 'user_id', 'id'])
    .execute();
}

/** Of a listing without a search, one of the first two indexes holds the contacts in order. */
async function createContacts({ numberedTable, scopedKey, integer, text, tx }: Schema): Promise<void> {
  await numberedTable('contacts')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('address_book_id', text, kept)
    .addColumn('uid', text, kept)
    .addColumn('trashed', integer, kept)
    .addColumn('is_named', integer, kept)
    .addColumn('place', text, kept)
    .addColumn('search_text', text, kept)
    .addColumn('record', text, kept)
    .addUniqueConstraint('contacts_key', scopedKey('id'))
    .execute();
  for (const [name, columns] of [
    ['contacts_by_place', ['user_id', 'trashed', 'place']],
    ['contacts_by_book', ['address_book_id', 'trashed', 'place']],
  ] as const) {
    await tx.schema
      .createIndex(name)
      .on('contacts')
      .columns([...columns])
      .execute();
  }
  await tx.schema
    .createIndex('contacts_by_uid')
    .unique()
    .on('contacts')
    .columns(['address_book_id', 'uid', 'workspace_id'])
    .execute();
}

async function createContactGrams({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('contact_grams')
    .addColumn('workspace_id', text, kept)
    .addColumn('address_book_id', text, kept)
    .addColumn('trashed', integer, kept)
    .addColumn('gram', text, kept)
    .addColumn('place', text, kept)
    .addColumn('number', integer, kept)
    .addPrimaryKeyConstraint('contact_grams_key', [
      'workspace_id',
      'address_book_id',
      'trashed',
      'gram',
      'place',
      'number',
    ])
    .execute();
}

async function makeFirstBooks(tx: SchemaTransaction): Promise<void> {
  const users = await tx.selectFrom('users').select(['workspace_id', 'id']).execute();
  const now = Date.now();
  for (const { workspace_id, id } of users) {
    await tx
      .insertInto('address_books')
      .values({
        workspace_id,
        user_id: id,
        id: newId('abk'),
        name: 'Contacts',
        description: '',
        contact_count: 0,
        revision: randomUUID(),
        created_at: now,
        updated_at: now,
      })
      .execute();
  }
}
