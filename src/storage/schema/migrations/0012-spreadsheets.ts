import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration, Schema } from '../schema.ts';

/** Spreadsheets: their sheets, the inputs of their cells, and what changed last. */
export const spreadsheets: Migration = {
  name: '0012-spreadsheets',
  async up(schema) {
    await createSpreadsheets(schema);
    await createCells(schema);
    await createRemains(schema);
  },
};

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

async function createSpreadsheets({ table, integer, text }: Schema): Promise<void> {
  await table('spreadsheets')
    .addColumn('workspace_id', text, kept)
    .addColumn('node_id', text, kept)
    .addColumn('version', integer, kept)
    .addColumn('followed_since', integer, kept)
    .addColumn('revision', text, kept)
    .addColumn('sheets', text, kept)
    .addPrimaryKeyConstraint('spreadsheets_key', ['workspace_id', 'node_id'])
    .execute();
  await table('spreadsheet_changes')
    .addColumn('workspace_id', text, kept)
    .addColumn('node_id', text, kept)
    .addColumn('version', integer, kept)
    .addColumn('blocks', text, kept)
    .addPrimaryKeyConstraint('spreadsheet_changes_key', ['workspace_id', 'node_id', 'version'])
    .execute();
}

async function createCells({ table, clusteredTable, integer, text }: Schema): Promise<void> {
  await table('spreadsheet_blocks')
    .addColumn('workspace_id', text, kept)
    .addColumn('sheet', text, kept)
    .addColumn('row_block', integer, kept)
    .addColumn('column_block', integer, kept)
    .addColumn('formulas', integer, kept)
    .addColumn('cells', text, kept)
    .addPrimaryKeyConstraint('spreadsheet_blocks_key', ['workspace_id', 'sheet', 'row_block', 'column_block'])
    .execute();
  await clusteredTable('spreadsheet_columns')
    .addColumn('workspace_id', text, kept)
    .addColumn('sheet', text, kept)
    .addColumn('place', integer, kept)
    .addColumn('cells', integer, kept)
    .addPrimaryKeyConstraint('spreadsheet_columns_key', ['workspace_id', 'sheet', 'place'])
    .execute();
}

async function createRemains({ clusteredTable, integer, text, tx }: Schema): Promise<void> {
  await clusteredTable('spreadsheet_remains')
    .addColumn('workspace_id', text, kept)
    .addColumn('sheet', text, kept)
    .addColumn('sweep_at', integer, kept)
    .addPrimaryKeyConstraint('spreadsheet_remains_key', ['workspace_id', 'sheet'])
    .execute();
  await tx.schema
    .createIndex('spreadsheet_remains_by_time')
    .on('spreadsheet_remains')
    .columns(['sweep_at'])
    .execute();
}
