/** What a document has held, the present content last. A revision never changes. */
export interface DocumentRevisions {
  workspace_id: string;
  document_id: string;
  /** From 1, without gaps. */
  revision: number;
  /** Its entity tag, without quotes: no other revision has it, nor did one that a crash took back. */
  state: string;
  created_by: string;
  created_at: number;
  /** Bytes. */
  size: number;
  /** SHA-256 of the content, in base64url. */
  digest: string;
  /** The content where it is small; else null. */
  content: Uint8Array | null;
  blob_key: string | null;
}
