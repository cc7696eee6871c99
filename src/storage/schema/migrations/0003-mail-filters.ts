import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Mail filters, and beside each message what those that acted on it did. */
export const mailFilters: Migration = {
  name: '0003-mail-filters',
  async up({ table, integer, text, tx }) {
    await table('mail_filters')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('id', text, kept)
      .addColumn('name', text, kept)
      .addColumn('priority', integer, kept)
      .addColumn('enabled', integer, kept)
      .addColumn('rule', text, kept)
      .addColumn('created_at', integer, kept)
      .addColumn('updated_at', integer, kept)
      .addPrimaryKeyConstraint('mail_filters_key', ['workspace_id', 'id'])
      .execute();
    await tx.schema
      .createIndex('mail_filters_in_order')
      .on('mail_filters')
      .columns(['user_id', 'priority', 'id'])
      .execute();
    await tx.schema.alterTable('message_contents').addColumn('applied_filters', text).execute();
  },
};
