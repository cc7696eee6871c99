import type { BlobOwner } from '../../storage/blob-owner.ts';

/** Large contents of documents are blobs, one a revision. */
export const DOCUMENTS_BLOBS: BlobOwner = {
  table: 'document_revisions',
  columns: ['document_id', 'revision'],
  name: async (_tx, [documentId, revision]) => `revision ${revision} of ${documentId}`,
};
