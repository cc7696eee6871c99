import assert from 'node:assert/strict';
import { type Actor, makeActor } from './actor.ts';
import type { Area, StartArea, World } from './area.ts';
import { proveRooms, startCalendar, startResponding } from './areas/calendar.ts';
import { startContacts } from './areas/contacts.ts';
import { proveSharedDocument, startDocuments } from './areas/documents.ts';
import { startDrafts } from './areas/drafts.ts';
import { startFiles } from './areas/files.ts';
import { startMail } from './areas/mail.ts';
import { proveSending, startSending } from './areas/sending.ts';
import {
  startAddressBooks,
  startCalendars,
  startFileFolders,
  startFilters,
  startGroups,
  startKeys,
  startMailFolders,
  startResources,
  startUsers,
} from './areas/settings.ts';
import { proveSharedSpreadsheet, startSpreadsheets } from './areas/spreadsheets.ts';
import type { Cluster } from './cluster.ts';
import { type Mirror, startMirror } from './mirror.ts';
import { type Random, randomOf } from './random.ts';

/** A client of one area. */
export interface Client {
  actor: Actor;
  area: Area;
}

const AREAS: Record<string, StartArea> = {
  mail: startMail,
  sending: startSending,
  contacts: startContacts,
  files: startFiles,
  documents: startDocuments,
  spreadsheets: startSpreadsheets,
  calendar: startCalendar,
  responding: startResponding,
  filters: startFilters,
  groups: startGroups,
  keys: startKeys,
  drafts: startDrafts,
  'mail folders': startMailFolders,
  'address books': startAddressBooks,
  calendars: startCalendars,
  'file folders': startFileFolders,
  users: startUsers,
  resources: startResources,
};
/** The kinds of changes that its areas make. */
const WRITTEN_KINDS = [
  ...[
    'message',
    'folder',
    'filter',
    'contact',
    'address_book',
    'file',
    'file_folder',
    'document',
    'spreadsheet',
  ],
  ...['calendar', 'event', 'user', 'group', 'resource', 'api_key', 'access'],
];
const ROUNDS_AT_THE_END = 3;

/** Starts clients of all areas, or of those named, for each person. */
export async function startClients(
  cluster: Cluster,
  world: World,
  random: Random,
  names: readonly string[] = Object.keys(AREAS),
): Promise<Client[]> {
  const started = world.people.flatMap((person) =>
    names.map(async (name) => {
      const actor = makeActor(cluster, person.key, random.fork(`${person.email} ${name}`));
      return { actor, area: await startOf(name)({ actor, person, world }) };
    }),
  );
  return Promise.all(started);
}

function startOf(name: string): StartArea {
  return AREAS[name] ?? assert.fail(`no area ${name}`);
}

/** For each person one that follows the change feed from before the first write on. */
export function startMirrors(cluster: Cluster, { people }: World, random: Random): Promise<Mirror[]> {
  return Promise.all(
    people.map(({ email, key }) => startMirror(makeActor(cluster, key, random.fork(`${email} mirror`)))),
  );
}

/** Lets mirrors follow until the writing is over. */
export async function whileFollowing(mirrors: readonly Mirror[], writing: Promise<void>): Promise<void> {
  let isOver = false;
  const written = writing.finally(() => {
    isOver = true;
  });
  await Promise.all([written, ...mirrors.map((mirror) => mirror.follow(() => !isOver))]);
}

/**
 * What they have is what listings show. A mirror that is late reads what
 * objects have become and would not miss a change in between, so once it has caught up there are some more.
 */
export async function proveMirrors(mirrors: readonly Mirror[], clients: readonly Client[]): Promise<void> {
  const all = () => Promise.all(mirrors.map((mirror) => mirror.prove()));
  await all();
  for (let round = 0; round < ROUNDS_AT_THE_END; round++) {
    await Promise.all(clients.map(({ area }) => area.step()));
    await all();
  }
}

/** No kind of change was left out of a run of all areas. */
export function proveKinds(mirrors: readonly Mirror[]): void {
  const heard = new Set(mirrors.flatMap((mirror) => [...mirror.heard]));
  assert.deepEqual([...heard].sort(), [...WRITTEN_KINDS].sort());
}

/** Holds what each client made against all that it was answered. */
export async function proveAreas(clients: readonly Client[]): Promise<void> {
  await Promise.all(clients.map(({ area }) => area.prove()));
}

/** The same, and what all share; and repeats so many requests of each client. */
export async function prove(
  cluster: Cluster,
  world: World,
  clients: readonly Client[],
  replays: number,
): Promise<void> {
  const all = async () => {
    await proveAreas(clients);
    const reader = makeActor(cluster, clients[0]?.actor.key ?? '', randomOf('proof'));
    await proveSharedDocument(reader, world);
    await proveSharedSpreadsheet(reader, world);
    await proveRooms(reader, world);
  };
  await all();
  await Promise.all(clients.map(({ actor }) => actor.replay(replays)));
  await all();
  await proveSending(cluster, world);
}

/** How many writes were answered. */
export function acknowledgedBy(clients: readonly Client[]): number {
  return clients.reduce((sum, { actor }) => sum + actor.acknowledged, 0);
}
