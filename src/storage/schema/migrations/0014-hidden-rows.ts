import type { Migration } from '../schema.ts';

/** Which rows of a sheet are not shown; a sheet that shows all of them has none here. */
export const hiddenRows: Migration = {
  name: '0014-hidden-rows',
  async up({ table, text }) {
    await table('spreadsheet_hidden_rows')
      .addColumn('workspace_id', text, (column) => column.notNull())
      .addColumn('sheet', text, (column) => column.notNull())
      .addColumn('hidden', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('spreadsheet_hidden_rows_key', ['workspace_id', 'sheet'])
      .execute();
  },
};
