import { ApiError } from '../../contract/errors.ts';
import type { Received } from '../../contract/operation.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, StoredFile } from '../drive/service.ts';
import type { ImportOutcome } from './schema.ts';

/** A document or spreadsheet whose node has just been created. */
export interface CreatedDocument {
  workspaceId: string;
  id: string;
  /** Who creates it. */
  ownerId: string;
}

/** What is to become the contents of a new document or spreadsheet, made before the transaction that creates it. */
export interface NewContents extends Received {
  /** Stores them, in the transaction that has created the node. */
  onCreated(tx: WriteTransaction, created: CreatedDocument): Promise<void>;
  /** How the file that fills it was read, where there is one. */
  readonly imported?: ImportOutcome;
}

/**
 * Makes the contents that a new document or spreadsheet starts with: empty ones, or those of an uploaded file. It runs
 * outside of any transaction, so it may take its time. Rejects as `refuseSource` throws where the file does not do.
 */
export type PrepareContents = (source: StoredFile | undefined, creator: DriveOwner) => Promise<NewContents>;

/** Refuses a source file that cannot become the contents, for a reason that explains it. Throws ApiError unreadable_file. */
export function refuseSource(reason: string, options?: ErrorOptions): never {
  throw new ApiError('unreadable_file', `The source file does not fill it: ${reason}.`, { reason }, options);
}
