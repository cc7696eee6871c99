import type { Migration } from '../schema.ts';

/** Finds who has messages that wait for the relay, and of each what is due first. */
export const outboxByUser: Migration = {
  name: '0020-outbox-by-user',
  async up({ tx }) {
    await tx.schema
      .createIndex('mail_outbox_by_user')
      .on('mail_outbox')
      .columns(['user_id', 'next_attempt_at'])
      .execute();
  },
};
