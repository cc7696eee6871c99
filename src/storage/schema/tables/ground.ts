import type { Generated } from 'kysely';

/** Secrets shared by all nodes, created at the first start. */
export interface ServerSecrets {
  name: string;
  value: Uint8Array;
}

/** Where a database has several servers, the row that a write to a workspace locks. */
export interface WriteLocks {
  workspace_id: string;
  scope: string;
  /** How often it was. */
  taken: number;
}

/** The same for what belongs to no workspace: its row is on every server. */
export interface InstallationLocks {
  scope: string;
  taken: number;
}

export interface IdempotencyRecords {
  workspace_id: string;
  key_id: string;
  idempotency_key: string;
  /** "" if it is unknown. */
  fingerprint: string;
  status: number;
  body: string;
  expires_at: number;
  /** The id of the answered request; null in records from before this column. */
  request_id: string | null;
}

/** Blobs being written: housekeeping removes those that no transaction has taken over after a while. */
export interface PendingBlobs {
  /** Which takes it in; "" for the installation, and where nobody knows. */
  workspace_id: string;
  blob_key: string;
  created_at: number;
}

/** The checksums of referenced blobs. Several rows, of several workspaces, may refer to one blob. */
export interface BlobChecksums {
  /** The one that took it in. */
  workspace_id: string;
  blob_key: string;
  /** CRC-32. */
  checksum: number;
}

/** A change as one viewer sees it; those who see the same change have rows with the same id. */
export interface Changes {
  /** In the order of commits within a transaction, and on SQLite altogether. */
  number: Generated<number>;
  workspace_id: string;
  /** A user, or an audience: `*` for everybody in the workspace, `keys` for administrators of keys. */
  viewer: string;
  /** The transaction on PostgreSQL, 0 on SQLite. */
  transaction_id: Generated<number>;
  id: string;
  at: Generated<number>;
  type: string;
  /** Null of what no user did: mail that arrives, sweeps. */
  actor_user_id: string | null;
  actor_key_id: string | null;
  /** JSON: names of the API to ids. */
  ids: string;
}

/**
 * Where a move of a workspace between installations stands, on the side of its database. `leaving`: nothing is written here
 * meanwhile. `left`: it is served elsewhere. `arriving`: what is here of it is incomplete, and nobody sees it. `arrived`: it
 * has come from elsewhere, and is served here.
 */
export interface WorkspaceMoves {
  workspace_id: string;
  /** The same on both sides. */
  move_id: string;
  state: 'leaving' | 'left' | 'arriving' | 'arrived';
  /** Where clients find it, as the operator has said. */
  location: string | null;
  /** The process that carries it: its host and its number. "" where none does. */
  worker: string;
  /** Until then that process counts as alive without being looked at. */
  claimed_until: number;
  began_at: number;
}
