import type { Generated } from 'kysely';

/** The kinds of nodes in a tree of the drive. */
export type NodeKind = 'file' | 'folder' | 'document' | 'spreadsheet';

/**
 * `trashed`: the node itself is trashed. `hidden`: not trashed itself, but in a folder that is not active. So a node is
 * active exactly when neither it nor any folder above it is trashed.
 */
export type NodeState = 'active' | 'trashed' | 'hidden';

/** Files, folders, documents and spreadsheets: one tree for each owner. */
export interface Nodes {
  /** The key by which grams refer to it. */
  number: Generated<number>;
  workspace_id: string;
  id: string;
  kind: NodeKind;
  owner_id: string;
  /** A folder of the same owner; "" at the root. */
  parent_id: string;
  title: string;
  /** The title, case folded, for searching. */
  search_text: string;
  state: NodeState;
  /** The record members specific to its kind, as ready JSON without braces. */
  facts: string;
  /**
   * The record members except updated_at and the state, as ready JSON without braces; derived from other columns.
   */
  record: string;
  /** The sort key of every listing: newest first, then by id. */
  place: string;
  created_at: number;
  updated_at: number;
}

/**
 * The nodes of a kind whose titles contain a gram (a fragment of up to three characters), in the order of listings. A
 * partition has the nodes that one principal can search: a user's own and granted nodes, a group's granted nodes.
 */
export interface NodeGrams {
  workspace_id: string;
  principal_id: string;
  kind: NodeKind;
  gram: string;
  place: string;
  /** The number of the node with this sort key. */
  number: number;
}

/** The content data of a file; it never changes. */
export interface Files {
  workspace_id: string;
  node_id: string;
  filename: string;
  mime_type: string;
  size: number;
  /** Null for an empty file. */
  blob_key: string | null;
}

export type NodeRole = 'viewer' | 'commenter' | 'editor' | 'manager';

/** The grants of a node, one per principal. Columns that begin with node_ repeat those of the node. */
export interface NodeGrants {
  workspace_id: string;
  id: string;
  node_id: string;
  principal_type: 'user' | 'group';
  principal_id: string;
  role: NodeRole;
  created_by: string;
  created_at: number;
  node_kind: NodeKind;
  node_parent_id: string;
  node_state: NodeState;
  node_place: string;
}

/**
 * `completing` accepts no more parts: its blob is being assembled, or waits for the transaction that creates the file.
 */
export type UploadState = 'open' | 'completing' | 'finished' | 'aborted' | 'expired';

export interface UploadSessions {
  workspace_id: string;
  user_id: string;
  id: string;
  /** The id that the file will have. */
  file_id: string;
  filename: string;
  folder_id: string;
  /** As the uploader declared it: recorded, not trusted. */
  declared_type: string | null;
  total_size: number;
  part_size: number;
  part_count: number;
  received_bytes: number;
  received_parts: number;
  blob_key: string;
  /** The upload handle of the blob store; null before the first part. */
  blob_handle: string | null;
  state: UploadState;
  /** 1 while blobs may exist that belong to no file. */
  holds_space: number;
  created_at: number;
  expires_at: number;
  /** When housekeeping checks it next. */
  sweep_at: number;
}

/** One row for each location that a part was, or is being, written to. */
export interface UploadParts {
  workspace_id: string;
  session_id: string;
  number: number;
  /** "" for its byte range in the blob; else the key of a separate blob, for a part whose byte range was in use. */
  place: string;
  /** The tag of the blob store; null until the part is stored. */
  tag: string | null;
  /** CRC-32 of its bytes; null until the part is stored. */
  checksum: number | null;
  /** 1 for the valid row of a part. */
  is_current: number;
}
