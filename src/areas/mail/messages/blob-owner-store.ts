import type { BlobOwner } from '../../../storage/blob-owner.ts';

/** Large messages are blobs, expunged ones too. */
export const MAIL_BLOBS: BlobOwner = {
  table: 'message_contents',
  columns: ['workspace_id', 'number'],
  name: async (tx, [workspaceId, number]) => {
    for (const table of ['messages', 'expunged_messages'] as const) {
      const found = await tx
        .selectFrom(table)
        .select('id')
        .where('workspace_id', '=', String(workspaceId))
        .where('number', '=', Number(number))
        .executeTakeFirst();
      if (found) return `message ${found.id}`;
    }
    return `message number ${number}`;
  },
};
