import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The keys of appended rows, and how far down each column of a sheet may be used. */
export const rowKeys: Migration = {
  name: '0032-row-keys',
  async up({ clusteredTable, integer, text, tx }) {
    await clusteredTable('spreadsheet_row_keys')
      .addColumn('workspace_id', text, kept)
      .addColumn('sheet', text, kept)
      .addColumn('row_key', text, kept)
      .addColumn('place', integer)
      .addColumn('columns', text, kept)
      .addPrimaryKeyConstraint('spreadsheet_row_keys_key', ['workspace_id', 'sheet', 'row_key'])
      .execute();
    await tx.schema.alterTable('spreadsheet_columns').addColumn('reach', integer).execute();
  },
};
