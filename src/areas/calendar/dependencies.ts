import type { Staging } from '../../blobs/staging.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import type { MailService } from '../mail/service.ts';
import type { BusyCache } from './availability/busy-cache.ts';
import type { WindowQuestions } from './availability/window-work.ts';
import { addressKey, type Person } from './events/holders.ts';
import type { UserFinder } from './events/invited.ts';
import type { CalendarOwner } from './owner.ts';

/** What the use cases of calendars work with. */
export interface CalendarDependencies {
  readonly directory: DirectoryService;
  readonly mail: MailService;
  /** For reads in transactions of their own. */
  readonly database: Database;
  /** Holds long answers until they have been sent. */
  readonly staging: Staging;
  readonly questions: WindowQuestions;
  readonly cache: BusyCache;
}

/** What is asked of the directory alone. */
type OfDirectory = Pick<CalendarDependencies, 'directory'>;

/** Finds which of these ids are resources of the workspace. */
export type ResourceFinder = (tx: ReadTransaction, ids: readonly string[]) => Promise<Set<string>>;

/** What an event may name of the directory of its workspace. */
export interface DirectoryFinders {
  resources: ResourceFinder;
  users: UserFinder;
}

/** Finds resources and users in the workspace of a user. */
export function findersFor({ directory }: OfDirectory, { workspaceId }: CalendarOwner): DirectoryFinders {
  return {
    resources: (tx, ids) => directory.findResourceIds(tx, workspaceId, ids),
    users: async (tx, addresses) => {
      const holders = await directory.findAddressHolders(tx, workspaceId, addresses);
      return new Map([...holders].map(([address, { userId }]) => [address, userId]));
    },
  };
}

/** The time zone of a user. */
export async function timeZoneOf(
  tx: ReadTransaction,
  { directory }: OfDirectory,
  { workspaceId, userId }: CalendarOwner,
): Promise<string> {
  return (await directory.getUser(tx, workspaceId, userId)).time_zone;
}

/** A user with all addresses under which events may list them. */
export async function personOf(
  tx: ReadTransaction,
  { directory }: OfDirectory,
  { workspaceId, userId }: CalendarOwner,
): Promise<Person> {
  const user = await directory.getUser(tx, workspaceId, userId);
  return { userId, addresses: [user.email, ...user.aliases].map(addressKey) };
}
