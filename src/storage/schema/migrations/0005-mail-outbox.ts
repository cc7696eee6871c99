import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Messages that the relay has not taken yet; the index finds those that are due, of all workspaces. */
export const mailOutbox: Migration = {
  name: '0005-mail-outbox',
  async up({ tx, table, integer, text }) {
    await table('mail_outbox')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('id', text, kept)
      .addColumn('message_id', text, kept)
      .addColumn('message_id_header', text, kept)
      .addColumn('sender', text, kept)
      .addColumn('recipients', text, kept)
      .addColumn('attempts', integer, kept)
      .addColumn('next_attempt_at', integer, kept)
      .addColumn('queued_at', integer, kept)
      .addPrimaryKeyConstraint('mail_outbox_key', ['workspace_id', 'id'])
      .execute();
    await tx.schema
      .createIndex('mail_outbox_by_due')
      .on('mail_outbox')
      .columns(['next_attempt_at'])
      .execute();
  },
};
