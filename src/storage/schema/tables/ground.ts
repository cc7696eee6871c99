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
