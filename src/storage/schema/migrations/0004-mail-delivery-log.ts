import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** What became of each message that was delivered, and the way to the inbox. Ids of the log sort by time: so the sweep reads it. */
export const mailDeliveryLog: Migration = {
  name: '0004-mail-delivery-log',
  async up({ engine, tx, clusteredTable, integer, scopedKey, text }) {
    await clusteredTable('mail_delivery_log')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('id', text, kept)
      .addColumn('delivered_at', integer, kept)
      .addColumn('sender', text, kept)
      .addColumn('recipient', text, kept)
      .addColumn('message_id_header', text, kept)
      .addColumn('outcome', text, kept)
      .addColumn('message_id', text)
      .addColumn('filter_ids', text, kept)
      .addPrimaryKeyConstraint('mail_delivery_log_key', scopedKey('id'))
      .execute();
    // SQLite's primary key is that already.
    if (engine === 'postgres')
      await tx.schema
        .createIndex('mail_delivery_log_by_id')
        .on('mail_delivery_log')
        .columns(['id'])
        .execute();
    await tx.schema
      .createIndex('mail_folders_by_role')
      .on('mail_folders')
      .columns(['user_id', 'role'])
      .execute();
  },
};
