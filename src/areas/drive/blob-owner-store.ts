import type { BlobOwner } from '../../storage/blob-owner.ts';

/** The content of a file is a blob. */
export const FILES_BLOBS: BlobOwner = {
  table: 'files',
  columns: ['node_id'],
  name: async (_tx, [nodeId]) => `file ${nodeId}`,
};
