import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/**
 * The envelope of mail that came by SMTP, and the messages whose summaries are to be made anew: those that are there
 * lack members that only their bytes tell, which may be in the blob store. The next start makes them.
 */
export const messagesAsProgramsReadThem: Migration = {
  name: '0030-messages-as-programs-read-them',
  async up({ clusteredTable, integer, text, tx }) {
    await tx.schema.alterTable('message_contents').addColumn('received', text).execute();
    await clusteredTable('mail_summaries_to_make')
      .addColumn('workspace_id', text, kept)
      .addColumn('number', integer, kept)
      .addPrimaryKeyConstraint('mail_summaries_to_make_key', ['workspace_id', 'number'])
      .execute();
    await tx
      .insertInto('mail_summaries_to_make')
      .columns(['workspace_id', 'number'])
      .expression(
        tx
          .selectFrom('message_contents')
          .select([sql.ref('workspace_id').as('workspace_id'), sql.ref('number').as('number')]),
      )
      .execute();
  },
};
