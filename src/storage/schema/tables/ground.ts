import type { Generated } from 'kysely';

/** Secrets shared by all nodes, created at the first start. */
export interface ServerSecrets {
  name: string;
  value: Uint8Array;
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
  blob_key: string;
  created_at: number;
}

/** The checksums of referenced blobs. Several rows, of several workspaces, may refer to one blob. */
export interface BlobChecksums {
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
