import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** What people see of sheets beside their cells, the names of spreadsheets, and what imports have left out. */
export const sheetLooks: Migration = {
  name: '0027-sheet-looks',
  async up({ table, text }) {
    await table('spreadsheet_looks')
      .addColumn('workspace_id', text, kept)
      .addColumn('sheet', text, kept)
      .addColumn('looks', text, kept)
      .addPrimaryKeyConstraint('spreadsheet_looks_key', ['workspace_id', 'sheet'])
      .execute();
    await table('spreadsheet_names')
      .addColumn('workspace_id', text, kept)
      .addColumn('node_id', text, kept)
      .addColumn('names', text, kept)
      .addPrimaryKeyConstraint('spreadsheet_names_key', ['workspace_id', 'node_id'])
      .execute();
    await table('spreadsheet_import_notes')
      .addColumn('workspace_id', text, kept)
      .addColumn('node_id', text, kept)
      .addColumn('notes', text, kept)
      .addPrimaryKeyConstraint('spreadsheet_import_notes_key', ['workspace_id', 'node_id'])
      .execute();
  },
};
