import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Messages that were expunged: apart from the others, so that no listing reads past them. */
export const expungedMessages: Migration = {
  name: '0002-expunged-messages',
  async up({ tx, integer, table, text }) {
    await table('expunged_messages')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('number', integer, kept)
      .addColumn('id', text, kept)
      .addColumn('folder_number', integer, kept)
      .addColumn('thread_id', text)
      .addColumn('date', integer, kept)
      .addColumn('flags', integer, kept)
      .addColumn('labels', text, kept)
      .addColumn('summary', text, kept)
      .addPrimaryKeyConstraint('expunged_messages_key', ['workspace_id', 'id'])
      .execute();
    await tx.schema
      .createIndex('expunged_messages_by_thread')
      .on('expunged_messages')
      .columns(['thread_id'])
      .execute();
  },
};
