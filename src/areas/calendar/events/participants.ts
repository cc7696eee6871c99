import type { ReadTransaction } from '../../../storage/database.ts';
import { fold } from '../../../text/fold.ts';
import type { AddressHolder, DirectoryService } from '../../directory/service.ts';
import type { BusyCache, BusyTime } from '../availability/busy-cache.ts';
import { type Busyable, busyTimes } from '../availability/busy-times.ts';
import type { WindowWork } from '../availability/window-work.ts';
import type { CalendarOwner } from '../owner.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { isBlocking } from './definition.ts';
import { keepsBusy, keyOfFolded } from './holders.ts';

/** What availability is read from, and the work that it takes. */
export interface AvailabilityDependencies {
  directory: DirectoryService;
  cache: BusyCache;
  work: WindowWork;
}

/** People and resources as they were asked for, each once. */
export interface Asked {
  attendees: readonly string[];
  resources: readonly string[];
}

/** Somebody or something as it was asked for. */
export interface KnownParticipant {
  name: string;
  busy: BusyTime[];
}

/** Those of them that the workspace has, with when they are busy; and those that it has not. */
export interface Availability {
  attendees: Map<string, KnownParticipant>;
  resources: Map<string, KnownParticipant>;
  unknownAttendees: string[];
  unknownResources: string[];
}

/** When people and resources are busy in a window, as far as the caller may know. Rejects where that takes too much work. */
export async function availability(
  tx: ReadTransaction,
  { directory, cache, work }: AvailabilityDependencies,
  caller: CalendarOwner,
  asked: Asked,
  window: Interval,
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
  const busy = await busyTimes({ tx, cache, workspaceId, work }, busyables, window);
  // "A person with no shared availability comes back with an empty busy list, not an error."
  const told = new Set<string>();
  const timesOf = (key: string) => {
    const times = busy.get(key) ?? [];
    // Somebody may be asked for by each of many aliases.
    if (told.has(key)) work.tell(times.length);
    told.add(key);
    return times;
  };
  const known = [...folded].flatMap(([address, email]): [string, KnownParticipant][] => {
    const person = people.get(address);
    return person ? [[address, { name: email, busy: timesOf(person.userId) }]] : [];
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

/** Each address as it was first given, by its folded form. */
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
