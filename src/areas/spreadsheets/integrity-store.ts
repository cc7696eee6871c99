import type { IntegrityRule } from '../../storage/integrity-rule.ts';

/** What holds of all spreadsheets. */
export const SPREADSHEETS_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each spreadsheet of a drive has its sheets',
    broken: () => `
      select n.id from nodes as n
      left join spreadsheets as s on s.workspace_id = n.workspace_id and s.node_id = n.id
      where n.kind = 'spreadsheet' and s.node_id is null`,
  },
  {
    says: 'Each spreadsheet is one of a drive',
    broken: () => `
      select s.node_id as id from spreadsheets as s
      left join nodes as n on n.workspace_id = s.workspace_id and n.id = s.node_id and n.kind = 'spreadsheet'
      where n.id is null`,
  },
];
