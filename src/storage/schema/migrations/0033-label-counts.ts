import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** How many messages carry each label of a mailbox; and by what sessions are counted and swept. */
export const labelCounts: Migration = {
  name: '0033-label-counts',
  async up(schema) {
    await createLabelCounts(schema);
    await indexSessions(schema);
  },
};

async function createLabelCounts({ clusteredTable, integer, text, tx }: Schema): Promise<void> {
  await clusteredTable('mail_label_counts')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('label', text, kept)
    .addColumn('messages', integer, kept)
    .addColumn('unread', integer, kept)
    .addPrimaryKeyConstraint('mail_label_counts_key', ['workspace_id', 'user_id', 'label'])
    .execute();
  await tx
    .insertInto('mail_label_counts')
    .columns(['workspace_id', 'user_id', 'label', 'messages', 'unread'])
    .expression(
      tx
        .selectFrom('message_labels')
        .select(['workspace_id', 'user_id', 'label'])
        .select([
          sql<number>`count(*)`.as('messages'),
          sql<number>`sum(case when flags & 1 = 0 then 1 else 0 end)`.as('unread'),
        ])
        .groupBy(['workspace_id', 'user_id', 'label']),
    )
    .execute();
}

/** Only sessions: there may be many other keys. */
async function indexSessions({ tx }: Schema): Promise<void> {
  const index = (name: string, columns: string[]) =>
    tx.schema
      .createIndex(name)
      .on('api_keys')
      .columns(columns)
      .where(sql.ref('kind'), '=', sql.lit('session'));
  await index('api_keys_sessions_by_user', ['user_id', 'id']).execute();
  await index('api_keys_sessions_by_expiry', ['expires_at']).execute();
  await index('api_keys_sessions_by_end', ['revoked_at'])
    .where(sql.ref('revoked_at'), 'is not', null)
    .execute();
}
