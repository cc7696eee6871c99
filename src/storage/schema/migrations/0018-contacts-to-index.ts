import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';
import type { SchemaTransaction } from '../schema-transaction.ts';

/** Lets the search index of contacts follow later, and leaves those out of it of which too much is searched. */
export const contactsToIndex: Migration = {
  name: '0018-contacts-to-index',
  async up(schema) {
    await createContactsToIndex(schema);
    await createContactsLeftOut(schema.tx);
    await removeGramsOfThoseLeftOut(schema.tx);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createContactsToIndex({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('contacts_to_index')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('address_book_id', text, kept)
    .addColumn('trashed', integer, kept)
    .addColumn('number', integer, kept)
    .addColumn('place', text)
    .addColumn('search_text', text)
    .addPrimaryKeyConstraint('contacts_to_index_key', [
      'workspace_id',
      'address_book_id',
      'trashed',
      'number',
    ])
    .execute();
}

async function createContactsLeftOut(tx: SchemaTransaction): Promise<void> {
  await tx.schema
    .createIndex('contacts_left_out')
    .on('contacts')
    .columns(['workspace_id', 'address_book_id', 'trashed'])
    .expression(sql`octet_length(search_text)`)
    .where(IS_LEFT_OUT)
    .execute();
}

const IS_LEFT_OUT = sql<boolean>`octet_length(search_text) > 4000`;

/** Hardly anybody has such a contact; only the entries of books that have one are looked through. */
async function removeGramsOfThoseLeftOut(tx: SchemaTransaction): Promise<void> {
  const shelf = sql`workspace_id, address_book_id, trashed`;
  const leftOut = sql`from contacts where ${IS_LEFT_OUT}`;
  await tx
    .deleteFrom('contact_grams')
    .where(sql<boolean>`(${shelf}) in (select ${shelf} ${leftOut})`)
    .where(sql<boolean>`number in (select number ${leftOut})`)
    .execute();
}
