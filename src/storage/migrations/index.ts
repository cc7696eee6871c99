import type { Migration } from '../migration.ts';
import { workspacesAndMail } from './0001-workspaces-and-mail.ts';
import { drive } from './0006-drive.ts';
import { uploads } from './0007-uploads.ts';

/** Every step of the schema, in order; a step that has been released is never changed. */
export const migrations: readonly Migration[] = [workspacesAndMail, drive, uploads];
