import type { ListMessagesQuery, MailFolder } from '../../../client/src/index.ts';
import type { MailRecord } from './records.ts';

/** What a list shows. The key of a folder is its role, or its id where it has none. */
export type Place =
  | { kind: 'folder'; key: string }
  | { kind: 'starred' }
  | { kind: 'label'; name: string }
  | { kind: 'search'; q: string; only: string };

/** What an address of the page means. */
export interface Address {
  place: Place;
  /** The message that is open beside the list. */
  opened: string | undefined;
}

export type Query = Record<string, string | undefined>;

export function addressOf(rest: string, query: Query): Address | { message: string } {
  const [first = 'inbox', second] = rest.split('/').filter(Boolean);
  if (first === 'message' && second !== undefined) return { message: second };
  return { place: placeOf(first, query), opened: second };
}

function placeOf(first: string, query: Query): Place {
  if (first === 'starred') return { kind: 'starred' };
  if (first === 'label') return { kind: 'label', name: query.name ?? '' };
  if (first === 'search') return { kind: 'search', q: query.q ?? '', only: query.only ?? '' };
  return { kind: 'folder', key: first };
}

/** The address of a place, with a message open beside it. */
export function linkTo(place: Place, opened?: string) {
  const [first, search] = partsOf(place);
  const _splat = opened === undefined ? first : `${first}/${opened}`;
  return { to: '/mail/$', params: { _splat }, search } as const;
}

function partsOf(place: Place): [string, Query] {
  switch (place.kind) {
    case 'folder':
      return [place.key, {}];
    case 'starred':
      return ['starred', {}];
    case 'label':
      return ['label', { name: place.name }];
    case 'search':
      return ['search', { q: place.q, ...(place.only && { only: place.only }) }];
  }
}

/** What the rows of a place show beside the summaries of their messages. */
export function includedIn(place: ListedPlace, folders: readonly MailFolder[]): ListMessagesQuery {
  const role = place.kind === 'folder' ? folderOf(place.key, folders)?.role : undefined;
  return { include: role === 'sent' || role === 'drafts' ? ['preview', 'recipients'] : 'preview' };
}

export type ListedPlace = Exclude<Place, { kind: 'search' }>;

export function queryOf(place: ListedPlace): ListMessagesQuery {
  if (place.kind === 'folder') return { folder_id: place.key };
  return place.kind === 'starred' ? { flag: 'starred' } : { label: place.name };
}

/** Whether a message is in the list of a place. */
export function belongs(record: MailRecord, place: ListedPlace, folders: readonly MailFolder[]): boolean {
  if (place.kind === 'starred') return record.flags.starred;
  if (place.kind === 'label') return record.labels.includes(place.name);
  return folderOf(place.key, folders)?.id === record.folder_id;
}

/** The folder of a key of the address: a role or an id. */
export function folderOf(key: string, folders: readonly MailFolder[]): MailFolder | undefined {
  return folders.find(({ id, role }) => role === key || id === key);
}

export function placeOfFolder({ id, role }: MailFolder): Place {
  return { kind: 'folder', key: role ?? id };
}
