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
];
