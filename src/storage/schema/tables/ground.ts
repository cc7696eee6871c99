import type { Generated } from 'kysely';

/** Keys that all nodes share, made at the first start. */
export interface ServerSecrets {
  name: string;
  value: Uint8Array;
}

export interface IdempotencyRecords {
  workspace_id: string;
  key_id: string;
  idempotency_key: string;
  /** "" where it is not known. */
  fingerprint: string;
  status: number;
  body: string;
  expires_at: number;
  /** Of the request that was answered; null of records from before it was stored. */
  request_id: string | null;
}

/** Blobs on their way in: one that no transaction has taken over after a while is removed. */
export interface PendingBlobs {
  blob_key: string;
  created_at: number;
}

/** What the bytes of blobs come to that rows name: several may name one, of more than one workspace. */
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
