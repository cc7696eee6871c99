import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Sessions of browsers, which are API keys of their kind, with their tokens; codes that open them; tickets. */
export const signIn: Migration = {
  name: '0029-sign-in',
  async up(schema) {
    await schema.tx.schema.alterTable('api_keys').addColumn('kind', schema.text).execute();
    await createSessions(schema);
    await createTokens(schema);
    await createCodes(schema);
    await createTickets(schema);
  },
};

async function createSessions({ tx, table, integer, text }: Schema): Promise<void> {
  await table('sessions')
    .addColumn('workspace_id', text, kept)
    .addColumn('key_id', text, kept)
    .addColumn('cookie_hash', text, kept)
    .addColumn('ends_with_maker', integer, kept)
    .addPrimaryKeyConstraint('sessions_key', ['workspace_id', 'key_id'])
    .execute();
  await tx.schema.createIndex('sessions_by_cookie').on('sessions').columns(['cookie_hash']).execute();
}

async function createTokens(schema: Schema): Promise<void> {
  const { table, integer, text } = schema;
  await table('session_tokens')
    .addColumn('workspace_id', text, kept)
    .addColumn('token_hash', text, kept)
    .addColumn('key_id', text, kept)
    .addColumn('expires_at', integer, kept)
    .addPrimaryKeyConstraint('session_tokens_key', ['workspace_id', 'token_hash'])
    .execute();
  await createIndexes(schema, 'session_tokens', 'token_hash');
}

async function createCodes(schema: Schema): Promise<void> {
  const { table, integer, text } = schema;
  await table('sign_in_codes')
    .addColumn('workspace_id', text, kept)
    .addColumn('code_hash', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('made_by', text)
    .addColumn('expires_at', integer, kept)
    .addPrimaryKeyConstraint('sign_in_codes_key', ['workspace_id', 'code_hash'])
    .execute();
  await createIndexes(schema, 'sign_in_codes', 'code_hash');
}

async function createTickets(schema: Schema): Promise<void> {
  const { table, integer, text } = schema;
  await table('tickets')
    .addColumn('workspace_id', text, kept)
    .addColumn('ticket_hash', text, kept)
    .addColumn('key_id', text, kept)
    .addColumn('path', text, kept)
    .addColumn('begun', integer, kept)
    .addColumn('expires_at', integer, kept)
    .addPrimaryKeyConstraint('tickets_key', ['workspace_id', 'ticket_hash'])
    .execute();
  await createIndexes(schema, 'tickets', 'ticket_hash');
}

/** Whoever brings a secret does not say of which workspace; sweeps go by the time. */
async function createIndexes({ tx }: Schema, table: string, hash: string): Promise<void> {
  await tx.schema.createIndex(`${table}_by_hash`).on(table).columns([hash]).execute();
  await tx.schema.createIndex(`${table}_by_expiry`).on(table).columns(['expires_at']).execute();
}
