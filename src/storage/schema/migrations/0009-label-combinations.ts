import { type ColumnDefinitionBuilder, sql } from 'kysely';
import type { Migration } from '../schema.ts';

const kept = (column: ColumnDefinitionBuilder) => column.notNull();

/** Which labels stand together on messages, so that a listing by several reads only messages that carry them all. */
export const labelCombinations: Migration = {
  name: '0009-label-combinations',
  async up({ clusteredTable, integer, scopedKey, text, tx }) {
    await clusteredTable('label_combinations')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('label', text, kept)
      .addColumn('combination', text, kept)
      .addPrimaryKeyConstraint('label_combinations_key', ['workspace_id', 'user_id', 'label', 'combination'])
      .execute();
    await clusteredTable('message_combinations')
      .addColumn('workspace_id', text, kept)
      .addColumn('user_id', text, kept)
      .addColumn('message_number', integer, kept)
      .addColumn('combination', text, kept)
      .addColumn('folder_number', integer, kept)
      .addColumn('flags', integer, kept)
      .addColumn('date', integer, kept)
      .addPrimaryKeyConstraint('message_combinations_key', scopedKey('message_number'))
      .execute();
    const index = (name: string) => tx.schema.createIndex(name).on('message_combinations');
    const inOrder = ['combination', 'date', 'message_number'];
    await index('message_combinations_by_date')
      .columns(['user_id', ...inOrder])
      .execute();
    await index('message_combinations_by_folder_flags')
      .expression(sql`((folder_number << 5) | flags)`)
      .columns(inOrder)
      .execute();
  },
};
