import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Webhooks with their place in the change feed, their newest attempts, and the changes that endpoints refused for good. */
export const webhooks: Migration = {
  name: '0023-webhooks',
  async up(schema) {
    await createWebhooks(schema);
    await createAttempts(schema);
    await createDeadDeliveries(schema);
  },
};

async function createWebhooks({ tx, table, integer, text }: Schema): Promise<void> {
  await table('webhooks')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('key_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('url', text, kept)
    .addColumn('types', text, kept)
    .addColumn('secret', text, kept)
    .addColumn('disabled_reason', text)
    .addColumn('era', text, kept)
    .addColumn('transaction_id', integer, kept)
    .addColumn('number', integer, kept)
    .addColumn('lease', integer, kept)
    .addColumn('leased_until', integer, kept)
    .addColumn('attempts', integer, kept)
    .addColumn('refusals', integer, kept)
    .addColumn('next_attempt_at', integer, kept)
    .addColumn('failing_since', integer)
    .addColumn('head_at', integer)
    .addColumn('last_delivered_at', integer)
    .addColumn('attempts_made', integer, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('webhooks_key', ['workspace_id', 'id'])
    .execute();
  await tx.schema
    .createIndex('webhooks_by_user')
    .on('webhooks')
    .columns(['workspace_id', 'user_id', 'id'])
    .execute();
}

async function createAttempts({ table, integer, text }: Schema): Promise<void> {
  await table('webhook_attempts')
    .addColumn('workspace_id', text, kept)
    .addColumn('webhook_id', text, kept)
    .addColumn('slot', integer, kept)
    .addColumn('number', integer, kept)
    .addColumn('id', text, kept)
    .addColumn('change_id', text, kept)
    .addColumn('type', text, kept)
    .addColumn('at', integer, kept)
    .addColumn('status', integer)
    .addColumn('duration_ms', integer, kept)
    .addColumn('error', text)
    .addPrimaryKeyConstraint('webhook_attempts_key', ['workspace_id', 'webhook_id', 'slot'])
    .execute();
}

async function createDeadDeliveries({ table, integer, text }: Schema): Promise<void> {
  await table('webhook_dead_deliveries')
    .addColumn('workspace_id', text, kept)
    .addColumn('webhook_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('change', text, kept)
    .addColumn('at', integer, kept)
    .addColumn('status', integer)
    .addColumn('error', text)
    .addColumn('redelivering', integer, kept)
    .addPrimaryKeyConstraint('webhook_dead_deliveries_key', ['workspace_id', 'webhook_id', 'id'])
    .execute();
}
