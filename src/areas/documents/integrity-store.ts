import {
  COUNT,
  columnsHold,
  FROM_ONE,
  type IntegrityRule,
  TIME,
} from '../../storage/schema/integrity-rule.ts';

/** Invariants of the tables of documents. */
export const DOCUMENTS_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each document has revisions from the first on, without gaps',
    broken: () => `
      select n.id from nodes as n
      left join document_revisions as r on r.workspace_id = n.workspace_id and r.document_id = n.id
      where n.kind = 'document'
      group by n.workspace_id, n.id
      having count(r.revision) = 0 or min(r.revision) <> 1 or max(r.revision) <> count(r.revision)`,
  },
  {
    says: 'Each revision is of a document',
    broken: () => `
      select r.document_id as id from document_revisions as r
      left join nodes as n on n.workspace_id = r.workspace_id and n.id = r.document_id and n.kind = 'document'
      where n.id is null`,
  },
  {
    says: 'Each revision has its content, in its row or in a blob',
    broken: () => `
      select document_id as id from document_revisions
      where (content is null) = (blob_key is null) or length(content) <> size`,
  },
  columnsHold('document_revisions', { revision: FROM_ONE, size: COUNT, created_at: TIME }, 'document_id'),
];
