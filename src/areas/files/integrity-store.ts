import type { IntegrityRule } from '../../storage/integrity-rule.ts';

/** What holds in every drive. */
export const FILES_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each file, folder and document is in a folder of its owner, or at the root',
    broken: () => `
      select n.id from nodes as n
      left join nodes as p
        on p.workspace_id = n.workspace_id and p.id = n.parent_id and p.owner_id = n.owner_id and p.kind = 'folder'
      where n.parent_id <> '' and p.id is null`,
  },
  {
    says: 'What is in a folder that is not active is hidden or trashed, and nothing else is hidden',
    broken: () => `
      select n.id from nodes as n
      left join nodes as p on p.workspace_id = n.workspace_id and p.id = n.parent_id
      where (n.state = 'active' and p.state <> 'active') or (n.state = 'hidden' and coalesce(p.state, 'active') = 'active')`,
  },
  {
    says: 'Each file has its content',
    broken: () => `
      select n.id from nodes as n
      left join files as f on f.workspace_id = n.workspace_id and f.node_id = n.id
      where n.kind = 'file' and f.node_id is null`,
  },
  {
    says: 'Each grant is of something, and repeats where that is',
    broken: () => `
      select g.id from node_grants as g
      left join nodes as n
        on n.workspace_id = g.workspace_id and n.id = g.node_id and n.kind = g.node_kind
        and n.parent_id = g.node_parent_id and n.state = g.node_state and n.place = g.node_place
      where n.id is null`,
  },
  {
    says: 'Each file and document is found by how its title begins',
    broken: () => `
      select n.id from nodes as n
      left join node_grams as g
        on g.workspace_id = n.workspace_id and g.principal_id = n.owner_id and g.kind = n.kind
        and g.gram = substr(n.search_text, 1, 3) and g.place = n.place
      where n.kind <> 'folder' and g.place is null`,
  },
];
