import type { Migration } from '../schema.ts';
import { workspacesAndMail } from './0001-workspaces-and-mail.ts';
import { expungedMessages } from './0002-expunged-messages.ts';
import { mailFilters } from './0003-mail-filters.ts';
import { mailDeliveryLog } from './0004-mail-delivery-log.ts';
import { mailOutbox } from './0005-mail-outbox.ts';
import { drive } from './0006-drive.ts';
import { uploads } from './0007-uploads.ts';
import { contacts } from './0008-contacts.ts';
import { labelCombinations } from './0009-label-combinations.ts';
import { calendars } from './0010-calendars.ts';
import { documents } from './0011-documents.ts';
import { spreadsheets } from './0012-spreadsheets.ts';
import { makersOfKeys } from './0013-makers-of-keys.ts';
import { hiddenRows } from './0014-hidden-rows.ts';
import { numberFormats } from './0015-number-formats.ts';
import { columnsOfWhatChanges } from './0016-columns-of-what-changes.ts';
import { noLabelCombinations } from './0017-no-label-combinations.ts';
import { contactsToIndex } from './0018-contacts-to-index.ts';
import { sharedContents } from './0019-shared-contents.ts';
import { outboxByUser } from './0020-outbox-by-user.ts';
import { longHolders } from './0021-long-holders.ts';
import { changes } from './0022-changes.ts';
import { webhooks } from './0023-webhooks.ts';
import { openUploads } from './0024-open-uploads.ts';
import { mailDrafts } from './0025-mail-drafts.ts';
import { invitations } from './0026-invitations.ts';
import { sheetLooks } from './0027-sheet-looks.ts';
import { workingHours } from './0028-working-hours.ts';
import { signIn } from './0029-sign-in.ts';
import { messagesAsProgramsReadThem } from './0030-messages-as-programs-read-them.ts';
import { savedAttachments } from './0031-saved-attachments.ts';
import { rowKeys } from './0032-row-keys.ts';
import { labelCounts } from './0033-label-counts.ts';
import { workspacesOfKeys } from './0034-workspaces-of-keys.ts';
import { workspaceMoves } from './0035-workspace-moves.ts';
import { locks } from './0036-locks.ts';
import { workspacesOfBlobs } from './0037-workspaces-of-blobs.ts';

/** Every step of the schema, in order; a step that has been released is never changed. */
export const migrations: readonly Migration[] = [
  workspacesAndMail,
  expungedMessages,
  mailFilters,
  mailDeliveryLog,
  mailOutbox,
  drive,
  uploads,
  contacts,
  labelCombinations,
  calendars,
  documents,
  spreadsheets,
  makersOfKeys,
  hiddenRows,
  numberFormats,
  columnsOfWhatChanges,
  noLabelCombinations,
  contactsToIndex,
  sharedContents,
  outboxByUser,
  longHolders,
  changes,
  webhooks,
  openUploads,
  mailDrafts,
  invitations,
  sheetLooks,
  workingHours,
  signIn,
  messagesAsProgramsReadThem,
  savedAttachments,
  rowKeys,
  labelCounts,
  workspacesOfKeys,
  workspaceMoves,
  locks,
  workspacesOfBlobs,
];
