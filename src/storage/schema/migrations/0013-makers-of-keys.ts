import type { Migration } from '../schema.ts';

/** Which key has made a key; of those that are there already nobody knows. */
export const makersOfKeys: Migration = {
  name: '0013-makers-of-keys',
  async up({ text, tx }) {
    await tx.schema.alterTable('api_keys').addColumn('made_by', text).execute();
    await tx.schema.createIndex('api_keys_by_maker').on('api_keys').columns(['made_by']).execute();
  },
};
