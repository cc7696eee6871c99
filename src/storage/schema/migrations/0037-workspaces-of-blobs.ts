import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The rows that name blobs, as they were at this step. */
const NAMING = ['message_contents', 'saved_attachments', 'files', 'document_revisions'];

/**
 * Notes and checksums of blobs stand beside the rows of the workspace that took them in. Made anew instead of altered: on a
 * cluster the former tables are on every server, and the new ones are spread by workspace afterwards.
 */
export const workspacesOfBlobs: Migration = {
  name: '0037-workspaces-of-blobs',
  async up(schema) {
    await remakeNotes(schema);
    await remakeChecksums(schema);
  },
};

/** Nobody knows whose the notes of before are: the sweep asks for no workspace. */
async function remakeNotes({ tx, clusteredTable, integer, text, scopedKey }: Schema): Promise<void> {
  await tx.schema.alterTable('pending_blobs').renameTo('former_pending_blobs').execute();
  await clusteredTable('pending_blobs')
    .addColumn('workspace_id', text, kept)
    .addColumn('blob_key', text, kept)
    .addColumn('created_at', integer, kept)
    .addPrimaryKeyConstraint('pending_blobs_of_workspace', scopedKey('blob_key'))
    .execute();
  await tx
    .insertInto('pending_blobs')
    .columns(['workspace_id', 'blob_key', 'created_at'])
    .expression(
      tx
        .selectFrom('former_pending_blobs')
        .select([sql.lit('').as('workspace_id'), 'blob_key', 'created_at']),
    )
    .execute();
  await tx.schema.dropTable('former_pending_blobs').execute();
}

/** A checksum goes to the first workspace whose rows name its blob; of others nobody asks. */
async function remakeChecksums({ tx, clusteredTable, integer, text, scopedKey }: Schema): Promise<void> {
  await tx.schema.alterTable('blob_checksums').renameTo('former_blob_checksums').execute();
  await clusteredTable('blob_checksums')
    .addColumn('workspace_id', text, kept)
    .addColumn('blob_key', text, kept)
    .addColumn('checksum', integer, kept)
    .addPrimaryKeyConstraint('blob_checksums_of_workspace', scopedKey('blob_key'))
    .execute();
  const named = NAMING.map(
    (name) => sql`select workspace_id, blob_key from ${sql.table(name)} where blob_key is not null`,
  );
  const copy = sql`
    insert into blob_checksums (workspace_id, blob_key, checksum)
    select min(named.workspace_id), former.blob_key, min(former.checksum)
    from former_blob_checksums as former
    join (${sql.join(named, sql` union all `)}) as named on named.blob_key = former.blob_key
    group by former.blob_key`;
  await tx.executeQuery(copy.compile(tx));
  await tx.schema.dropTable('former_blob_checksums').execute();
  await tx.schema.createIndex('blob_checksums_by_key').on('blob_checksums').columns(['blob_key']).execute();
}
