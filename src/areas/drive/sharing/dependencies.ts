import type { Received } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { Rights } from '../rights.ts';

/** A message that was composed before the transaction that sends it. */
export interface Notice extends Received {
  /** Takes the locks that sending needs, before the transaction writes anything. The result sends the message. */
  prepareSend(tx: WriteTransaction, sharer: Principal): Promise<() => Promise<void>>;
}

/** Composes a message of a user to users of the workspace. Given by the composition: the drive does not know mail. */
export type ComposeNotice = (
  sharer: Principal,
  message: { to: string[]; subject: string; text: string },
) => Promise<Notice>;

/** What sharing uses. */
export interface SharingDependencies {
  database: Database;
  rights: Rights;
  directory: DirectoryService;
  composeNotice: ComposeNotice;
}
