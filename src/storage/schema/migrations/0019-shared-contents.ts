import type { Migration } from '../schema.ts';

/** Lets copies of a message, in many mailboxes of a workspace, share the content of the first of them. */
export const sharedContents: Migration = {
  name: '0019-shared-contents',
  async up({ tx, integer }) {
    await tx.schema.alterTable('message_contents').addColumn('content_of', integer).execute();
  },
};
