import { InvalidArgumentError, Option } from 'commander';
import type { CalendarOwner } from '../areas/calendar/service.ts';
import type { ContactsOwner, ContactsService } from '../areas/contacts/service.ts';
import type { DirectoryService, FoundUser, Workspace } from '../areas/directory/service.ts';
import type { MailboxOwner, MailService } from '../areas/mail/service.ts';
import { ApiError } from '../contract/errors.ts';
import type { Services } from '../start/composition.ts';
import type { ReadTransaction } from '../storage/database.ts';

/** The user of an id or address, whichever workspace it is in. Throws ApiError not_found. */
export async function userNamed(
  tx: ReadTransaction,
  directory: DirectoryService,
  name: string,
): Promise<FoundUser> {
  const found = await directory.findUser(tx, name);
  if (!found) throw new ApiError('not_found', `There is no user ${name}.`, { resource: 'user', id: name });
  return found;
}

/** Which workspace a command is about. */
export function workspaceOption(): Option {
  return new Option('--workspace <id or name>', 'needed only when there are several workspaces');
}

/**
 * The workspace of an id or name; the only one when none is named. Throws ApiError not_found, and
 * InvalidArgumentError when it could be several.
 */
export async function workspaceNamed(
  tx: ReadTransaction,
  directory: DirectoryService,
  name: string | undefined,
): Promise<Workspace> {
  const all = await directory.listWorkspaces(tx);
  const [found, another] = all.filter((workspace) => name === undefined || matches(workspace, name));
  if (another) {
    throw new InvalidArgumentError(
      'There are several such workspaces: name one by its id, with --workspace.',
    );
  }
  if (found) return found;
  if (name === undefined) throw noWorkspace();
  throw new ApiError('not_found', `There is no workspace ${name}.`, { resource: 'workspace', id: name });
}

/** The id of the folder of a name with "/" between levels. Throws ApiError not_found. */
export async function folderNamed(
  tx: ReadTransaction,
  mail: MailService,
  owner: MailboxOwner,
  name: string,
): Promise<string> {
  try {
    return await mail.getFolderByPath(tx, owner, name);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
    throw new ApiError('not_found', `There is no folder ${name}.`, error.details, { cause: error });
  }
}

/** What holds nothing is rather another place than the one that was meant. Throws ApiError not_found. */
export async function refuseEmpty({
  database,
  directory,
}: Pick<Services, 'database' | 'directory'>): Promise<void> {
  if ((await database.read((tx) => directory.listWorkspaces(tx))).length === 0) throw noWorkspace();
}

function noWorkspace(): ApiError {
  const message =
    'There is no workspace where the settings look. Set ATRIUM_DATA_DIR or ATRIUM_DATABASE_URL as for the server, or make one with `atrium workspace create`.';
  return new ApiError('not_found', message, { resource: 'workspace', id: '' });
}

function matches({ id, name }: Workspace, wanted: string): boolean {
  return id === wanted || name === wanted;
}

/** Which address book of the user a command is about. */
export function bookOption(): Option {
  return new Option('--book <id or name>', 'the address book (default: the first)');
}

/** The address book of an id or name; the first when none is named. Throws ApiError not_found. */
export async function bookNamed(
  tx: ReadTransaction,
  contacts: ContactsService,
  owner: ContactsOwner,
  wanted: string | undefined,
) {
  const books = await contacts.listBooks(tx, owner);
  const found = books.find(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (found) return found;
  const message = `There is no address book ${wanted ?? ''}.`;
  throw new ApiError('not_found', message, { resource: 'address_book', id: wanted ?? '' });
}

/** Which calendar of the user a command is about. */
export function calendarOption(): Option {
  return new Option('--calendar <id or name>', 'the calendar (default: the first)');
}

/** The calendar of an id or name; the first when none is named. Throws ApiError not_found. */
export async function calendarNamed(
  tx: ReadTransaction,
  { calendar }: Pick<Services, 'calendar'>,
  owner: CalendarOwner,
  wanted: string | undefined,
) {
  const calendars = await calendar.listCalendars(tx, owner);
  const found = calendars.find(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (found) return found;
  const message = `There is no calendar ${wanted ?? ''}.`;
  throw new ApiError('not_found', message, { resource: 'calendar', id: wanted ?? '' });
}
