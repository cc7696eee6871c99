import type { ReadTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';

/** A file that is to be attached. */
export interface AttachedFile {
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Called after the transaction has ended. Whoever does not read it to its end ends it. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** Where the files come from that `file_ids` names. */
export interface AttachmentSource {
  /** A file that this user may read. Throws ApiError not_found or forbidden. */
  find(tx: ReadTransaction, reader: MailboxOwner, fileId: string): Promise<AttachedFile>;
}
