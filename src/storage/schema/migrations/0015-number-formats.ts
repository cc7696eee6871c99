import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The number formats of cells; the cells that are there already have none. */
export const numberFormats: Migration = {
  name: '0015-number-formats',
  async up({ table, integer, text }) {
    await table('spreadsheet_formats')
      .addColumn('workspace_id', text, kept)
      .addColumn('sheet', text, kept)
      .addColumn('row_block', integer, kept)
      .addColumn('column_block', integer, kept)
      .addColumn('formats', text, kept)
      .addPrimaryKeyConstraint('spreadsheet_formats_key', [
        'workspace_id',
        'sheet',
        'row_block',
        'column_block',
      ])
      .execute();
  },
};
