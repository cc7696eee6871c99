import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Workspaces that go to another installation, have gone there, or come from one. */
export const workspaceMoves: Migration = {
  name: '0035-workspace-moves',
  async up({ clusteredTable, integer, text }) {
    await clusteredTable('workspace_moves')
      .addColumn('workspace_id', text, kept)
      .addColumn('move_id', text, kept)
      .addColumn('state', text, kept)
      .addColumn('location', text)
      .addColumn('worker', text, kept)
      .addColumn('claimed_until', integer, kept)
      .addColumn('began_at', integer, kept)
      .addPrimaryKeyConstraint('workspace_moves_key', ['workspace_id'])
      .execute();
  },
};
