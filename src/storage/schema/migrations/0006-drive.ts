import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/** The drive: one tree a user of folders and what is in them, what is stored of files, and who it is shared with. */
export const drive: Migration = {
  name: '0006-drive',
  async up(schema) {
    await createNodes(schema);
    await createFiles(schema);
    await createGrants(schema);
    await createGrams(schema);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createIndex({ tx }: Schema, name: string, table: string, columns: string[]): Promise<void> {
  await tx.schema.createIndex(name).on(table).columns(columns).execute();
}

/** Whatever a listing filters by, one of these indexes holds it in the order of the listing. */
async function createNodes(schema: Schema): Promise<void> {
  const { integer, scopedKey, text } = schema;
  await schema
    .numberedTable('nodes')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('kind', text, kept)
    .addColumn('owner_id', text, kept)
    .addColumn('parent_id', text, kept)
    .addColumn('title', text, kept)
    .addColumn('search_text', text, kept)
    .addColumn('state', text, kept)
    .addColumn('facts', text, kept)
    .addColumn('record', text, kept)
    .addColumn('place', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('updated_at', integer, kept)
    .addUniqueConstraint('nodes_key', scopedKey('id'))
    .execute();
  const order = ['kind', 'state', 'place'];
  await createIndex(schema, 'nodes_by_owner', 'nodes', ['owner_id', ...order]);
  await createIndex(schema, 'nodes_by_parent', 'nodes', ['owner_id', 'parent_id', ...order]);
  await createDocumentIndex(schema, 'documents_by_owner', ['owner_id']);
  await createDocumentIndex(schema, 'documents_by_parent', ['owner_id', 'parent_id']);
  await createNodesAtPlace(schema);
}

/** Documents and spreadsheets are listed together: in one order, not merged from that of each kind. */
async function createDocumentIndex({ tx }: Schema, name: string, within: string[]): Promise<void> {
  await tx.schema
    .createIndex(name)
    .on('nodes')
    .columns([...within, 'state', 'place'])
    .where('kind', 'in', [sql.lit('document'), sql.lit('spreadsheet')])
    .execute();
}

/**
 * What is shared is found by its place. SQLite looks that up quicker where the index begins with what differs;
 * PostgreSQL gains nothing, and might walk along it where a workspace has few of all nodes.
 */
async function createNodesAtPlace({ engine, tx }: Schema): Promise<void> {
  await tx.schema
    .createIndex('nodes_by_place')
    .unique()
    .on('nodes')
    .columns(engine === 'sqlite' ? ['place', 'workspace_id'] : ['workspace_id', 'place'])
    .execute();
}

async function createFiles(schema: Schema): Promise<void> {
  const { integer, text } = schema;
  await schema
    .table('files')
    .addColumn('workspace_id', text, kept)
    .addColumn('node_id', text, kept)
    .addColumn('filename', text, kept)
    .addColumn('mime_type', text, kept)
    .addColumn('size', integer, kept)
    .addColumn('blob_key', text)
    .addPrimaryKeyConstraint('files_key', ['workspace_id', 'node_id'])
    .execute();
}

/** A grant carries what a listing filters and orders its node by, so that what is shared is listed from an index too. */
async function createGrants(schema: Schema): Promise<void> {
  const { integer, text, tx } = schema;
  await schema
    .table('node_grants')
    .addColumn('workspace_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('node_id', text, kept)
    .addColumn('principal_type', text, kept)
    .addColumn('principal_id', text, kept)
    .addColumn('role', text, kept)
    .addColumn('created_by', text, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('node_kind', text, kept)
    .addColumn('node_parent_id', text, kept)
    .addColumn('node_state', text, kept)
    .addColumn('node_place', text, kept)
    .addPrimaryKeyConstraint('node_grants_key', ['workspace_id', 'id'])
    .execute();
  await tx.schema
    .createIndex('node_grants_by_node')
    .on('node_grants')
    .columns(['workspace_id', 'node_id', 'principal_id'])
    .unique()
    .execute();
  await createIndex(schema, 'node_grants_by_principal', 'node_grants', [
    'principal_id',
    'node_kind',
    'node_state',
    'node_place',
    'node_id',
  ]);
  await createIndex(schema, 'node_grants_by_parent', 'node_grants', [
    'principal_id',
    'node_parent_id',
    'node_kind',
    'node_state',
    'node_place',
    'node_id',
  ]);
}

async function createGrams({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('node_grams')
    .addColumn('workspace_id', text, kept)
    .addColumn('principal_id', text, kept)
    .addColumn('kind', text, kept)
    .addColumn('gram', text, kept)
    .addColumn('place', text, kept)
    .addColumn('number', integer, kept)
    .addPrimaryKeyConstraint('node_grams_key', [
      'workspace_id',
      'principal_id',
      'kind',
      'gram',
      'place',
      'number',
    ])
    .execute();
}
