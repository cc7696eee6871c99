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
