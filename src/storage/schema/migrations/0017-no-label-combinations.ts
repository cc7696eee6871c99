import type { Migration } from '../schema.ts';

/** Listings by several labels look the labels up where each stands; what stood together is stored no more. */
export const noLabelCombinations: Migration = {
  name: '0017-no-label-combinations',
  async up({ tx }) {
    for (const table of ['message_combinations', 'label_combinations'])
      await tx.schema.dropTable(table).execute();
  },
};
