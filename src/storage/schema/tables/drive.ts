import type { Generated } from 'kysely';

/** What a tree of the drive holds. */
export type NodeKind = 'file' | 'folder' | 'document' | 'spreadsheet';

/**
 * `trashed` itself, or `hidden`: not trashed itself, in a folder that is not active. So a node is active exactly when
 * neither it nor any folder above it is trashed.
 */
export type NodeState = 'active' | 'trashed' | 'hidden';

/** Files, folders, documents and spreadsheets: one tree for each owner. */
export interface Nodes {
  /** By which its grams name it. */
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
  /** The members that only records of its kind have, as ready JSON without braces. */
  facts: string;
  /** The members of the record but for updated_at and the state, as ready JSON without braces; made of other columns. */
  record: string;
  /** Its place in the order of every listing: newest first, then by id. */
  place: string;
  created_at: number;
  updated_at: number;
}

/**
 * Where a fragment of up to three characters occurs: the nodes of a kind in the order of listings. A shelf is what one
 * principal searches: of a user what is owned and what is granted, of a group what is granted.
 */
export interface NodeGrams {
  workspace_id: string;
  principal_id: string;
  kind: NodeKind;
  gram: string;
  place: string;
  /** Of the node that is at the place. */
  number: number;
}

/** What is stored of a file; it never changes. */
export interface Files {
  workspace_id: string;
  node_id: string;
  filename: string;
  mime_type: string;
  size: number;
  /** Null of a file without bytes. */
  blob_key: string | null;
}

export type NodeRole = 'viewer' | 'commenter' | 'editor' | 'manager';

/** With whom a node is shared: one grant a principal. What begins with node_ is that of the node. */
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
 * `completing` takes no more parts: its blob is being put together, or has been, and waits for the transaction that makes
 * a file of it.
 */
export type UploadState = 'open' | 'completing' | 'finished' | 'aborted' | 'expired';

/** Uploads of their users. */
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
  /** What the blob store calls it; null before the first part. */
  blob_handle: string | null;
  state: UploadState;
  /** 1 while blobs may be there that no file has. */
  holds_space: number;
  created_at: number;
  expires_at: number;
  /** When housekeeping looks at it next. */
  sweep_at: number;
}

/** One row for each place that a part was, or is being, written to. */
export interface UploadParts {
  workspace_id: string;
  session_id: string;
  number: number;
  /** "" is its place in the blob; else the key of a blob of its own, for a part whose place was taken. */
  place: string;
  /** What the blob store calls it; null until it has landed. */
  tag: string | null;
  /** CRC-32 of its bytes; null until it has landed. */
  checksum: number | null;
  /** 1 for the one that counts. */
  is_current: number;
}
