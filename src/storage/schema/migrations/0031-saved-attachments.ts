import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The decoded bytes of attachments that were saved to the drive: whoever saves one again shares them. */
export const savedAttachments: Migration = {
  name: '0031-saved-attachments',
  async up({ clusteredTable, integer, text }) {
    await clusteredTable('saved_attachments')
      .addColumn('workspace_id', text, kept)
      .addColumn('attachment_id', text, kept)
      .addColumn('blob_key', text, kept)
      .addColumn('size', integer, kept)
      .addPrimaryKeyConstraint('saved_attachments_key', ['workspace_id', 'attachment_id'])
      .execute();
  },
};
