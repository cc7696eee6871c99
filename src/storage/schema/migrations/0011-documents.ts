import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** What documents hold and have held. Their titles, folders and rights are those of their nodes. */
export const documents: Migration = {
  name: '0011-documents',
  async up({ bytes, integer, table, text }) {
    // The content comes last: what is asked of a revision without it, SQLite reads without passing over it.
    await table('document_revisions')
      .addColumn('workspace_id', text, kept)
      .addColumn('document_id', text, kept)
      .addColumn('revision', integer, kept)
      .addColumn('state', text, kept)
      .addColumn('created_by', text, kept)
      .addColumn('created_at', integer, kept)
      .addColumn('size', integer, kept)
      .addColumn('digest', text, kept)
      .addColumn('blob_key', text)
      .addColumn('content', bytes)
      .addPrimaryKeyConstraint('document_revisions_key', ['workspace_id', 'document_id', 'revision'])
      .execute();
  },
};
