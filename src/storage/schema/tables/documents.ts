/** The revisions of a document; the last is the present content. A revision never changes. */
export interface DocumentRevisions {
  workspace_id: string;
  document_id: string;
  /** From 1, without gaps. */
  revision: number;
  /** Its entity tag without quotes; random, so that not even a revision undone by a crash had the same. */
  state: string;
  created_by: string;
  created_at: number;
  /** Bytes. */
  size: number;
  /** SHA-256 of the content, in base64url. */
  digest: string;
  /** The content if it is small, else null. */
  content: Uint8Array | null;
  blob_key: string | null;
}
