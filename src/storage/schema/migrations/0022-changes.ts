import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/** What every committed write has changed, once for each who sees it. */
export const changes: Migration = {
  name: '0022-changes',
  async up(schema) {
    if (schema.engine === 'sqlite') await createOnSqlite(schema);
    else await createOnPostgres(schema);
  },
};

const required = (column: ColumnDefinitionBuilder) => column.notNull();

/** Writes run one after another: the number of a row is the order of commits. */
async function createOnSqlite({ tx, numberedTable, integer, text }: Schema): Promise<void> {
  const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`;
  await numberedTable('changes')
    .addColumn('workspace_id', text, required)
    .addColumn('viewer', text, required)
    .addColumn('transaction_id', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('id', text, required)
    .addColumn('at', integer, (column) => column.notNull().defaultTo(now))
    .addColumn('type', text, required)
    .addColumn('actor_user_id', text)
    .addColumn('actor_key_id', text)
    .addColumn('ids', text, required)
    .execute();
  await tx.schema
    .createIndex('changes_by_viewer')
    .on('changes')
    .columns(['workspace_id', 'viewer', 'transaction_id', 'number'])
    .execute();
}

/**
 * A lower number may commit later, so rows are read in the order of their transactions, once all lower ones have ended
 * (`settledBelow` of a transaction). pg_current_xact_id has 64 bits and survives a fail-over.
 */
async function createOnPostgres({ tx, table, integer, text }: Schema): Promise<void> {
  const now = sql`((extract(epoch from clock_timestamp()) * 1000)::bigint)`;
  const transaction = sql`(pg_current_xact_id()::text::bigint)`;
  await table('changes')
    .addColumn('number', integer, (column) => column.generatedByDefaultAsIdentity())
    .addColumn('workspace_id', text, required)
    .addColumn('viewer', text, required)
    .addColumn('transaction_id', integer, (column) => column.notNull().defaultTo(transaction))
    .addColumn('id', text, required)
    .addColumn('at', integer, (column) => column.notNull().defaultTo(now))
    .addColumn('type', text, required)
    .addColumn('actor_user_id', text)
    .addColumn('actor_key_id', text)
    .addColumn('ids', text, required)
    .addPrimaryKeyConstraint('changes_key', ['workspace_id', 'viewer', 'transaction_id', 'number'])
    .execute();
  await tx.schema.createIndex('changes_by_transaction').on('changes').columns(['transaction_id']).execute();
}
