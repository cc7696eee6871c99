import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/** Uploads under way, and what has come of them. */
export const uploads: Migration = {
  name: '0007-uploads',
  async up(schema) {
    await createSessions(schema);
    await createParts(schema);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createSessions({ integer, table, text, tx }: Schema): Promise<void> {
  await table('upload_sessions')
    .addColumn('workspace_id', text, kept)
    .addColumn('user_id', text, kept)
    .addColumn('id', text, kept)
    .addColumn('file_id', text, kept)
    .addColumn('filename', text, kept)
    .addColumn('folder_id', text, kept)
    .addColumn('declared_type', text)
    .addColumn('total_size', integer, kept)
    .addColumn('part_size', integer, kept)
    .addColumn('part_count', integer, kept)
    .addColumn('received_bytes', integer, kept)
    .addColumn('received_parts', integer, kept)
    .addColumn('blob_key', text, kept)
    .addColumn('blob_handle', text)
    .addColumn('state', text, kept)
    .addColumn('holds_space', integer, kept)
    .addColumn('created_at', integer, kept)
    .addColumn('expires_at', integer, kept)
    .addColumn('sweep_at', integer, kept)
    .addPrimaryKeyConstraint('upload_sessions_key', ['workspace_id', 'id'])
    .execute();
  await tx.schema.createIndex('upload_sessions_by_sweep').on('upload_sessions').column('sweep_at').execute();
}

async function createParts({ clusteredTable, integer, text }: Schema): Promise<void> {
  await clusteredTable('upload_parts')
    .addColumn('workspace_id', text, kept)
    .addColumn('session_id', text, kept)
    .addColumn('number', integer, kept)
    .addColumn('place', text, kept)
    .addColumn('tag', text)
    .addColumn('checksum', integer)
    .addColumn('is_current', integer, kept)
    .addPrimaryKeyConstraint('upload_parts_key', ['workspace_id', 'session_id', 'number', 'place'])
    .execute();
}
