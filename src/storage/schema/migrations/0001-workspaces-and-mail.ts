import { type ColumnDefinitionBuilder, type Expression, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/**
 * The ground: server secrets, idempotency, workspaces with users, groups, resources and keys, and mail. Ids are unique
 * among all workspaces, so an index that begins with one needs no workspace before it.
 */
export const workspacesAndMail: Migration = {
  name: '0001-workspaces-and-mail',
  async up(schema) {
    await createGround(schema);
    await createUsers(schema);
    await createGroupsAndResources(schema);
    await createApiKeys(schema);
    await createMailFolders(schema);
    await createMessages(schema);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createIndex({ tx }: Schema, name: string, table: string, columns: string[]): Promise<void> {
  await tx.schema.createIndex(name).on(table).columns(columns).execute();
}

/** An index that begins with a value made of columns. */
async function createIndexBy(
  { tx }: Schema,
  name: string,
  table: string,
  first: Expression<unknown>,
  columns: string[],
): Promise<void> {
  await tx.schema.createIndex(name).on(table).expression(first).columns(columns).execute();
}

/** A folder and one of the thirty-two sets of flags as one number: a key of one number is compared in half the time. */
const STREAM = sql`((folder_number << 5) | flags)`;

/** Secrets of the server, answers kept for repeats, blobs on their way in, and what those that are in come to. */
async function createGround(schema: Schema): Promise<void> {
  const { bytes, integer, text } = schema;
  await schema
    .clusteredTable('server_secrets')
    .addColumn('name', text, kept)
    .addColumn('value', bytes, kept)
    .addPrimaryKeyConstraint('server_secrets_key', ['name'])
    .execute();
  await schema
    .table('idempotency_records')
    .addColumn('workspace_id', text, kept)
    .addColumn('key_id', text, kept)
    .addColumn('idempotency_key', text, kept)
    .addColumn('fingerprint', text, kept)
    .addColumn('status', integer, kept)
    .addColumn('body', text, kept)
    .addColumn('expires_at', integer, kept)
    .addPrimaryKeyConstraint('idempotency_records_key', ['workspace_id', 'key_id', 'idempotency_key'])
    .execute();
  await createIndex(schema, 'idempotency_records_by_expiry', 'idempotency_records', ['expires_at']);
  await schema
    .clusteredTable('pending_blobs')
    .addColumn('blob_key', text, kept)
    .addColumn('created_at', integer, kept)
    .addPrimaryKeyConstraint('pending_blobs_key', ['blob_key'])
    .execute();
  await schema
    .clusteredTable('blob_checksums')
    .addColumn('blob_key', text, kept)
    .addColumn('checksum', integer, kept)
    .addPrimaryKeyConstraint('blob_checksums_key', ['blob_key'])
    .execute();
}

/** Workspaces and their users. */
async function createUsers(schema: Schema): Promise<void> {
  const { integer, text } = schema;
  await schema
    .clusteredTable('workspaces')
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('created_at', integer, kept)
    .addPrimaryKeyConstraint('workspaces_key', ['id'])
    .execute();
  await schema
    .table('users')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('email', text, kept)
    .addColumn('aliases', text, kept)
    .addColumn('is_owner', integer, kept)
    .addColumn('state', text, kept)
    .addColumn('share_availability', integer, kept)
    .addColumn('time_zone', text, kept)
    .addColumn('search_text', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('users_key', ['workspace_id', 'id'])
    .execute();
  await schema
    .clusteredTable('user_addresses')
    .addColumn('address', text, kept)
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addPrimaryKeyConstraint('user_addresses_key', ['address'])
    .execute();
  await createIndex(schema, 'user_addresses_by_user', 'user_addresses', ['user_id']);
}

/** Groups of users, and the rooms and equipment of a workspace. */
async function createGroupsAndResources(schema: Schema): Promise<void> {
  const { integer, text } = schema;
  await schema
    .table('groups')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('groups_key', ['workspace_id', 'id'])
    .execute();
  await schema
    .clusteredTable('group_members')
    .addColumn('workspace_id', text, kept)
    .addColumn('group_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('position', integer, kept)
    .addPrimaryKeyConstraint('group_members_key', ['workspace_id', 'group_id', 'user_id'])
    .execute();
  await createIndex(schema, 'group_members_by_user', 'group_members', ['user_id']);
  await schema
    .table('resources')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('kind', text, kept)
    .addColumn('capacity', integer)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addPrimaryKeyConstraint('resources_key', ['workspace_id', 'id'])
    .execute();
}

async function createApiKeys(schema: Schema): Promise<void> {
  const { integer, text } = schema;
  await schema
    .table('api_keys')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('secret_hash', text, kept)
    .addColumn('permissions', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('expires_at', integer)
    .addColumn('revoked_at', integer)
    .addPrimaryKeyConstraint('api_keys_key', ['workspace_id', 'id'])
    .execute();
  await createIndex(schema, 'api_keys_by_secret', 'api_keys', ['secret_hash']);
  await createIndex(schema, 'api_keys_by_user', 'api_keys', ['user_id', 'id']);
}

/** Mail folders, with how many messages of each set of flags they hold. */
async function createMailFolders(schema: Schema): Promise<void> {
  const { integer, scopedKey, text } = schema;
  await schema
    .numberedTable('mail_folders')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('parent_id', text, kept)
    .addColumn('role', text)
    .addColumn('created_at', integer, kept)
    .addUniqueConstraint('mail_folders_key', scopedKey('id'))
    .execute();
  await createIndex(schema, 'mail_folders_by_name', 'mail_folders', ['user_id', 'parent_id', 'name']);
  await schema
    .clusteredTable('mail_folder_counts')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('folder_id', text, kept)
    .addColumn('flags', integer, kept)
    .addColumn('messages', integer, kept)
    .addPrimaryKeyConstraint('mail_folder_counts_key', ['workspace_id', 'folder_id', 'flags'])
    .execute();
  await createIndex(schema, 'mail_folder_counts_by_user', 'mail_folder_counts', ['user_id']);
  await schema
    .clusteredTable('mail_imports')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('folder_id', text, kept)
    .addColumn('digest', text, kept)
    .addColumn('copies', integer, kept)
    .addPrimaryKeyConstraint('mail_imports_key', ['workspace_id', 'user_id', 'folder_id', 'digest'])
    .execute();
}

/** Messages: what of each stays as it came, and what changes. */
async function createMessages(schema: Schema): Promise<void> {
  const { bytes, integer, scopedKey, text } = schema;
  await schema
    .numberedTable('messages')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('thread_id', text)
    .addColumn('summary', text, kept)
    .addUniqueConstraint('messages_key', scopedKey('id'))
    .execute();
  await createIndex(schema, 'messages_by_thread', 'messages', ['thread_id']);
  await createStates(schema);
  await schema
    .clusteredTable('message_labels')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('label', text, kept)
    .addColumn('message_number', integer, kept)
    .addColumn('folder_number', integer, kept)
    .addColumn('flags', integer, kept)
    .addColumn('date', integer, kept)
    .addPrimaryKeyConstraint('message_labels_key', scopedKey('message_number', 'label'))
    .execute();
  await createIndex(schema, 'message_labels_by_label', 'message_labels', [
    'user_id',
    'label',
    'date',
    'message_number',
  ]);
  await createIndexBy(schema, 'message_labels_by_folder_flags', 'message_labels', STREAM, [
    'label',
    'date',
    'message_number',
  ]);
  await schema
    .rowsOfNumbered('message_contents')
    .addColumn('workspace_id', text, kept)
    .addColumn('size', integer, kept)
    .addColumn('raw', bytes)
    .addColumn('blob_key', text)
    .addColumn('record', text, kept)
    .execute();
  await schema
    .clusteredTable('thread_links')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('link', text, kept)
    .addColumn('thread_id', text, kept)
    .addPrimaryKeyConstraint('thread_links_key', ['workspace_id', 'user_id', 'link'])
    .execute();
  await createIndex(schema, 'thread_links_by_thread', 'thread_links', ['thread_id']);
}

/**
 * What of messages changes, in rows of their own: a change writes the pages that its rows are on. Whatever a listing
 * filters by, one of these indexes holds its parts in order. Each change of a message changes them too, so they are as few
 * and as short as can be: they name folders and messages by numbers.
 */
async function createStates(schema: Schema): Promise<void> {
  const { integer, text } = schema;
  await schema
    .rowsOfNumbered('message_states')
    .addColumn('workspace_id', text, kept)
    .addColumn('folder_number', integer, kept)
    .addColumn('date', integer, kept)
    .addColumn('flags', integer, kept)
    .addColumn('labels', text, kept)
    .execute();
  const inOrder = schema.thenNumber('date');
  await createIndex(schema, 'message_states_by_folder', 'message_states', ['folder_number', ...inOrder]);
  await createIndexBy(schema, 'message_states_by_folder_flags', 'message_states', STREAM, inOrder);
}
