import { sql } from 'kysely';
import type { Migration } from '../schema.ts';

/** Lists the uploads of a user that take parts, without those that have ended. */
export const openUploads: Migration = {
  name: '0024-open-uploads',
  async up({ tx }) {
    await tx.schema
      .createIndex('upload_sessions_open')
      .on('upload_sessions')
      .columns(['user_id', 'id'])
      .where(sql.ref('state'), 'in', [sql.lit('open'), sql.lit('completing')])
      .execute();
  },
};
