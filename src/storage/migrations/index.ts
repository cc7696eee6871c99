import type { Migration } from '../migration.ts';
import { workspacesAndMail } from './0001-workspaces-and-mail.ts';
import { contacts } from './0008-contacts.ts';
import { calendars } from './0010-calendars.ts';

/** Every step of the schema, in order; a step that has been released is never changed. */
export const migrations: readonly Migration[] = [workspacesAndMail, contacts, calendars];
