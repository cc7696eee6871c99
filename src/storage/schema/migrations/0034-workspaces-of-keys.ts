import type { ColumnDefinitionBuilder } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** The workspace of each API key, by the hash of its secret: all that is known of who asks. */
export const workspacesOfKeys: Migration = {
  name: '0034-workspaces-of-keys',
  async up({ tx, clusteredTable, text }) {
    await clusteredTable('key_workspaces')
      .addColumn('secret_hash', text, kept)
      .addColumn('workspace_id', text, kept)
      .addPrimaryKeyConstraint('key_workspaces_key', ['secret_hash'])
      .execute();
    await tx
      .insertInto('key_workspaces')
      .columns(['secret_hash', 'workspace_id'])
      .expression(
        tx
          .selectFrom('api_keys')
          .select(['secret_hash', ({ fn }) => fn.min('workspace_id').as('workspace_id')])
          .where('kind', 'is', null)
          .groupBy('secret_hash'),
      )
      .execute();
  },
};
