import {
  belowRoot,
  CHECKSUM,
  COUNT,
  columnsHold,
  FROM_ONE,
  type IntegrityRule,
  TIME,
  TRUTH,
  type WorkspaceRule,
} from '../../storage/schema/integrity-rule.ts';
import type { NodeKind } from '../../storage/schema/tables.ts';
import { PermissionGrant } from './schema.ts';

const KINDS: readonly NodeKind[] = ['file', 'folder', 'document', 'spreadsheet'];

/** Invariants of the tables of the drive. */
export const FILES_INTEGRITY: readonly (IntegrityRule | WorkspaceRule)[] = [
  {
    says: 'Each file, folder and document is in a folder of its owner, or at the root',
    broken: () => `
      select n.id from nodes as n
      left join nodes as p
        on p.workspace_id = n.workspace_id and p.id = n.parent_id and p.owner_id = n.owner_id and p.kind = 'folder'
      where n.parent_id <> '' and p.id is null`,
  },
  belowRoot('Each folder leads up to the root', 'nodes', 'owner_id', "kind = 'folder'"),
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
    says: 'Each content is that of a file',
    broken: () => `
      select f.node_id as id from files as f
      left join nodes as n on n.workspace_id = f.workspace_id and n.id = f.node_id and n.kind = 'file'
      where n.id is null`,
  },
  {
    says: 'Each grant is to a user or a group of the workspace',
    broken: () => `
      select g.id from node_grants as g
      left join users as u on u.workspace_id = g.workspace_id and u.id = g.principal_id and g.principal_type = 'user'
      left join groups as p on p.workspace_id = g.workspace_id and p.id = g.principal_id and g.principal_type = 'group'
      where u.id is null and p.id is null`,
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
    says: 'Each file and document is found by how its title begins, by the owner and by whom it is shared with',
    broken: () => `
      select n.id from nodes as n
      join (
        select workspace_id, id as node_id, owner_id as principal_id from nodes
        union select workspace_id, node_id, principal_id from node_grants) as p
        on p.workspace_id = n.workspace_id and p.node_id = n.id
      left join node_grams as g
        on g.workspace_id = n.workspace_id and g.principal_id = p.principal_id and g.kind = n.kind
        and g.gram = substr(n.search_text, 1, 3) and g.place = n.place and g.number = n.number
      where n.kind <> 'folder' and g.place is null`,
  },
  columnsHold('nodes', {
    kind: { oneOf: KINDS },
    state: { oneOf: ['active', 'trashed', 'hidden'] },
    created_at: TIME,
    updated_at: TIME,
  }),
  columnsHold('files', { size: COUNT }, 'node_id'),
  columnsHold('node_grants', {
    principal_type: { oneOf: PermissionGrant.properties.principal_type.enum },
    role: { oneOf: PermissionGrant.properties.role.enum },
    created_at: TIME,
  }),
  columnsHold('upload_sessions', {
    state: { oneOf: ['open', 'completing', 'finished', 'aborted', 'expired'] },
    total_size: COUNT,
    part_size: FROM_ONE,
    part_count: COUNT,
    received_bytes: COUNT,
    received_parts: COUNT,
    holds_space: TRUTH,
    created_at: TIME,
    expires_at: TIME,
    sweep_at: TIME,
  }),
  columnsHold('upload_parts', { number: FROM_ONE, checksum: CHECKSUM, is_current: TRUTH }, 'session_id'),
];
