import { InvalidArgumentError, Option } from 'commander';
import type { CalendarOwner } from '../areas/calendar/service.ts';
import type { ContactsOwner, ContactsService } from '../areas/contacts/service.ts';
import type { DirectoryService, FoundUser, Workspace } from '../areas/directory/service.ts';
import type { MailboxOwner, MailService } from '../areas/mail/service.ts';
import { ApiError } from '../contract/errors.ts';
import type { Services } from '../start/composition.ts';
import type { ReadTransaction } from '../storage/database.ts';

/** The user with an id or address, in any workspace. Throws ApiError not_found. */
export async function userNamed(
  tx: ReadTransaction,
  directory: DirectoryService,
  name: string,
): Promise<FoundUser> {
  const found = await directory.findUser(tx, name);
  if (!found) throw new ApiError('not_found', `There is no user ${name}.`, { resource: 'user', id: name });
  return found;
}

/** The option that selects a workspace. */
export function workspaceOption(): Option {
  return new Option('--workspace <id or name>', 'needed only when there are several workspaces');
}

/**
 * The workspace with an id or name; without a name, the only workspace. Throws ApiError not_found, and
 * InvalidArgumentError where several match.
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

/** The id of the folder with a path of names, separated by "/". Throws ApiError not_found. */
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

/**
 * Refuses storage without a workspace: its settings probably name another storage than intended. Throws ApiError
 * not_found.
 */
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

/** The option that selects an address book of the user. */
export function bookOption(): Option {
  return new Option('--book <id or name>', 'the address book (default: the first)');
}

/** The address book with an id or name; without a name, the first. Throws ApiError not_found. */
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

/** The option that selects a calendar of the user. */
export function calendarOption(): Option {
  return new Option('--calendar <id or name>', 'the calendar (default: the first)');
}

/** The calendar with an id or name; without a name, the first. Throws ApiError not_found. */
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
