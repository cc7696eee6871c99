import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Rows that are locked where a database has several servers. On SQLite, with one writer, there are never any. */
export const locks: Migration = {
  name: '0036-locks',
  async up({ engine, tx, table, integer, text }) {
    await table('write_locks')
      .addColumn('workspace_id', text, kept)
      .addColumn('scope', text, kept)
      .addColumn('taken', integer, kept)
      .addPrimaryKeyConstraint('write_locks_key', ['workspace_id', 'scope'])
      .execute();
    await table('installation_locks')
      .addColumn('scope', text, kept)
      .addColumn('taken', integer, kept)
      .addPrimaryKeyConstraint('installation_locks_key', ['scope'])
      .execute();
    if (engine === 'sqlite') return;
    // A lock writes its row anew: in a page with space, the index is not touched.
    const spacious = sql`alter table write_locks set (fillfactor = 50)`;
    await tx.executeQuery(spacious.compile(tx));
  },
};
