import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import type { AddressHolder, DirectoryService } from '../../directory/service.ts';
import { isBlocking } from '../events/definition.ts';
import type { EventRow } from '../events/event-store.ts';
import { keepsBusy, keyOfFolded } from '../events/holders.ts';
import type { CalendarOwner } from '../owner.ts';
import type { Interval } from '../recurrence/intervals.ts';
import type { BusyCache, BusyTime } from './busy-cache.ts';
import { type Busyable, busyTimes } from './busy-times.ts';
import type { WindowWork } from './window-work.ts';
import type { WorkingHours } from './working-time.ts';

/** The services for a query of availability, and the work that may be spent. */
export interface AvailabilityDependencies {
  directory: DirectoryService;
  cache: BusyCache;
  work: WindowWork;
}

/** The people and resources of a query, without duplicates. */
export interface Asked {
  attendees: readonly string[];
  resources: readonly string[];
}

/** A known person or resource, under the name of the request. */
export interface KnownParticipant {
  name: string;
  busy: BusyTime[];
}

/** A known person; with working hours if they were asked for and the person has and shares any. */
export interface KnownPerson extends KnownParticipant {
  hours?: WorkingHours;
}

/** What a query asks beside the busy times. */
interface AskedBeside {
  withHours?: boolean;
  /** An event that keeps nobody busy. */
  ignored?: EventRow | undefined;
}

/** The known participants with their busy times, and the unknown names. */
export interface Availability {
  attendees: Map<string, KnownPerson>;
  resources: Map<string, KnownParticipant>;
  unknownAttendees: string[];
  unknownResources: string[];
}

/**
 * The busy times of people and resources in a window, as far as the caller may see them. Rejects if that takes too much
 * work.
 */
export async function availability(
  tx: ReadTransaction,
  { directory, cache, work }: AvailabilityDependencies,
  caller: CalendarOwner,
  asked: Asked,
  window: Interval,
  { withHours = false, ignored }: AskedBeside = {},
): Promise<Availability> {
  const { workspaceId } = caller;
  const folded = distinctAddresses(asked.attendees);
  const ids = [...new Set(asked.resources)];
  const people = await knownPeople(tx, directory, workspaceId, [...folded.keys()]);
  const resources =
    ids.length > 0 ? await directory.findResourceIds(tx, workspaceId, ids) : new Set<string>();
  const shown = [...people.values()].filter(
    (person) => person.sharesAvailability || person.userId === caller.userId,
  );
  const busyables = [...shown.map(personBusy), ...[...resources].map(resourceBusy)];
  const hours = withHours ? await hoursOf(tx, directory, workspaceId, shown) : undefined;
  const busy = await busyTimes({ tx, cache, workspaceId, work }, busyables, window, ignored);
  // "A person with no shared availability comes back with an empty busy list, not an error."
  const counted = new Set<string>();
  const timesOf = (key: string) => {
    const times = busy.get(key) ?? [];
    // One person may occur under several aliases.
    if (counted.has(key)) work.countReported(times.length);
    counted.add(key);
    return times;
  };
  const known = [...folded].flatMap(([address, email]): [string, KnownPerson][] => {
    const person = people.get(address);
    if (!person) return [];
    const own = hours?.get(person.userId);
    return [[address, { name: email, busy: timesOf(person.userId), ...(own && { hours: own }) }]];
  });
  return {
    attendees: new Map(known),
    resources: new Map(
      ids.filter((id) => resources.has(id)).map((id) => [id, { name: id, busy: timesOf(id) }]),
    ),
    unknownAttendees: [...folded].filter(([address]) => !people.has(address)).map(([, email]) => email),
    unknownResources: ids.filter((id) => !resources.has(id)),
  };
}

/** The working hours of those people who have any, by user. */
async function hoursOf(
  tx: ReadTransaction,
  directory: DirectoryService,
  workspaceId: string,
  people: readonly AddressHolder[],
): Promise<Map<string, WorkingHours>> {
  const ids = [...new Set(people.map(({ userId }) => userId))];
  const found = await directory.findWorkingHours(tx, workspaceId, ids);
  const hours = new Map<string, WorkingHours>();
  for (const { userId, timeZone, workingHours: periods } of found)
    if (periods.length > 0) hours.set(userId, { timeZone, periods });
  return hours;
}

/** The addresses by their folded form, each as it was first given. */
export function distinctAddresses(addresses: readonly string[]): Map<string, string> {
  const distinct = new Map<string, string>();
  for (const address of addresses) {
    const folded = fold(address);
    if (!distinct.has(folded)) distinct.set(folded, address);
  }
  return distinct;
}

async function knownPeople(
  tx: ReadTransaction,
  directory: DirectoryService,
  workspaceId: string,
  addresses: readonly string[],
): Promise<Map<string, AddressHolder>> {
  return addresses.length > 0 ? directory.findAddressHolders(tx, workspaceId, addresses) : new Map();
}

function personBusy({ userId, addresses: folded }: AddressHolder): Busyable {
  const addresses = folded.map(keyOfFolded);
  return {
    key: userId,
    holders: [userId, ...addresses],
    isKeptBusyBy: (meeting, ownerId) => keepsBusy(meeting, ownerId, { userId, addresses }),
  };
}

function resourceBusy(id: string): Busyable {
  return { key: id, holders: [id], isKeptBusyBy: (meeting) => isBlocking(meeting) };
}
