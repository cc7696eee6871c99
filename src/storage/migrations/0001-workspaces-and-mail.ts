import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from '../migration.ts';
import type { Schema } from '../schema.ts';

/**
 * The ground: server secrets, idempotency, workspaces with users, groups, resources and keys, and mail. Ids are unique
 * among all workspaces, so an index that begins with one needs no workspace before it.
 */
export const workspacesAndMail: Migration = {
  name: '0001-workspaces-and-mail',
  async up(schema) {
    await createGround(schema);
    await createDirectory(schema);
    await createMailFolders(schema);
    await createMessages(schema);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createIndex({ tx }: Schema, name: string, table: string, columns: string[]): Promise<void> {
  await tx.schema.createIndex(name).on(table).columns(columns).execute();
}

/** Secrets of the server, answers kept for repeats, and blobs on their way in. */
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
}

/** Workspaces and who and what is in them. */
async function createDirectory(schema: Schema): Promise<void> {
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
  const { integer, text } = schema;
  await schema
    .table('mail_folders')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('name', text, kept)
    .addColumn('parent_id', text, kept)
    .addColumn('role', text)
    .addColumn('created_at', integer, kept)
    .addPrimaryKeyConstraint('mail_folders_key', ['workspace_id', 'id'])
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

/** The flags object of a summary; bit by bit as the set holds them. */
const FLAGS_JSON = ['read', 'starred', 'answered', 'draft', 'deleted']
  .map((flag, bit) => `"${flag}":' || case when flags & ${1 << bit} = 0 then 'false' else 'true' end || '`)
  .join(',');

/** A message as listings send it: joined once for each change, not for each of the many times that it is read. */
const MESSAGE_ITEM = sql.raw(
  `'{"id":"' || id || '","folder_id":"' || folder_id || coalesce('","thread_id":"' || thread_id, '') || '",'` +
    ` || summary || ',"flags":{${FLAGS_JSON}},"labels":' || labels || '}'`,
);

/** Messages. Whatever a listing filters by, one of these indexes holds its parts in order. */
async function createMessages(schema: Schema): Promise<void> {
  const { bytes, integer, text } = schema;
  await schema
    .table('messages')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('folder_id', text, kept)
    .addColumn('thread_id', text)
    .addColumn('date', integer, kept)
    .addColumn('flags', integer, kept)
    .addColumn('labels', text, kept)
    .addColumn('summary', text, kept)
    .addColumn('item', text, (column) => column.generatedAlwaysAs(MESSAGE_ITEM).stored())
    .addPrimaryKeyConstraint('messages_key', ['workspace_id', 'id'])
    .execute();
  await createIndex(schema, 'messages_by_folder', 'messages', ['folder_id', 'date', 'id']);
  await createIndex(schema, 'messages_by_folder_flags', 'messages', ['folder_id', 'flags', 'date', 'id']);
  await createIndex(schema, 'messages_by_flags', 'messages', ['user_id', 'flags', 'date', 'id']);
  await createIndex(schema, 'messages_by_thread', 'messages', ['thread_id']);
  await schema
    .clusteredTable('message_labels')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('label', text, kept)
    .addColumn('message_id', text, kept)
    .addColumn('folder_id', text, kept)
    .addColumn('flags', integer, kept)
    .addColumn('date', integer, kept)
    .addPrimaryKeyConstraint('message_labels_key', ['workspace_id', 'message_id', 'label'])
    .execute();
  await createIndex(schema, 'message_labels_by_label', 'message_labels', [
    'user_id',
    'label',
    'date',
    'message_id',
  ]);
  await createIndex(schema, 'message_labels_by_folder_flags', 'message_labels', [
    'user_id',
    'label',
    'folder_id',
    'flags',
    'date',
    'message_id',
  ]);
  await schema
    .table('message_contents')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('message_id', text, kept)
    .addColumn('size', integer, kept)
    .addColumn('raw', bytes)
    .addColumn('blob_key', text)
    .addColumn('record', text, kept)
    .addPrimaryKeyConstraint('message_contents_key', ['workspace_id', 'message_id'])
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
