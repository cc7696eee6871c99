import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** What makes a message a draft: the fields that it was composed of, its state, and who is sending it. */
export const mailDrafts: Migration = {
  name: '0025-mail-drafts',
  async up({ table, integer, text }) {
    await table('mail_drafts')
      .addColumn('workspace_id', text, kept)
      .addColumn('message_number', integer, kept)
      .addColumn('fields', text, kept)
      .addColumn('state', text, kept)
      .addColumn('sent_by', text)
      .addColumn('sent_until', integer, kept)
      .addPrimaryKeyConstraint('mail_drafts_key', ['workspace_id', 'message_number'])
      .execute();
  },
};
