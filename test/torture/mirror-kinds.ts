import type { Actor } from './actor.ts';

/** A record of the API. */
// biome-ignore lint/suspicious/noExplicitAny: mirrors hold records of every kind
export type Mirrored = Record<string, any> & { id: string };

/** What changes have said of an object: the type of the last one, and the ids of all. */
export interface Told {
  readonly type: string;
  readonly ids: Readonly<Record<string, string | readonly string[]>>;
}

/** One kind of object: how a mirror lists it, and reads again what a change names. */
export interface MirroredKind {
  /** The kinds of changes that tell of it, and the member of their ids that names it; lists have an s. */
  readonly told: Readonly<Record<string, string>>;
  list(actor: Actor): Promise<Mirrored[]>;
  /** One object; undefined where it is gone. Kinds without it have no request for one object: they are listed again. */
  find?(actor: Actor, id: string, told: Told): Promise<Mirrored | undefined>;
  /** What listings show of it and the feed tells: counts of what is in it are not told. */
  shown(record: Mirrored): object;
}

const YEAR = 'start=2027-01-01T00:00:00Z&end=2027-12-31T00:00:00Z';

/** All that the torture writes. */
export const MIRRORED_KINDS: Readonly<Record<string, MirroredKind>> = {
  messages: {
    told: { message: 'message_id' },
    list: async (actor) => [
      ...(await actor.walk('/v1/messages?unread=true')),
      ...(await actor.walk('/v1/messages?unread=false')),
    ],
    find: (actor, id) => actor.find(`/v1/messages/${id}`),
    shown: ({ folder_id, thread_id, subject, size, flags, labels, message_id }) => ({
      ...{ folder_id, thread_id, subject, size, flags, labels, message_id },
    }),
  },
  folders: {
    told: { folder: 'folder_id' },
    list: (actor) => actor.get('/v1/folders'),
    shown: ({ name, parent_id, role }) => ({ name, parent_id, role }),
  },
  filters: found('filter', '/v1/mail/filters'),
  'address books': {
    told: { address_book: 'address_book_id' },
    list: (actor) => actor.get('/v1/address-books'),
    shown: ({ name, description }) => ({ name, description }),
  },
  contacts: {
    ...found('contact', '/v1/contacts'),
    // What is in the trash is answered, and does not say that it is there.
    find: async (actor, id, { type }) =>
      type === 'contact.trashed' ? undefined : actor.find(`/v1/contacts/${id}`),
  },
  'file folders': {
    told: { file_folder: 'folder_id' },
    list: (actor) => actor.get('/v1/file-folders'),
    shown: (record) => record,
  },
  files: { ...ofDrive('/v1/files', 'file'), told: { file: 'file_id' } },
  documents: { ...ofDrive('/v1/documents', 'document'), told: { document: 'document_id' } },
  spreadsheets: {
    told: { spreadsheet: 'spreadsheet_id' },
    list: async (actor) => {
      const records = await ofDrive('/v1/documents', 'spreadsheet').list(actor);
      return Promise.all(records.map((record) => withState(actor, record)));
    },
    find: async (actor, id) => {
      const record = await activeOnly(actor.find(`/v1/documents/${id}`));
      return record && withState(actor, record);
    },
    shown: (record) => record,
  },
  calendars: {
    told: { calendar: 'calendar_id' },
    list: (actor) => actor.get('/v1/calendars'),
    shown: (record) => record,
  },
  events: {
    told: { event: 'event_id' },
    list: eventsOf,
    find: findEvent,
    shown: (record) => record,
  },
  invitations: {
    told: { event: 'event_id' },
    list: (actor) => actor.walk(`/v1/invitations?${YEAR}`),
    shown: (record) => record,
  },
  users: found('user', '/v1/users'),
  groups: {
    told: { group: 'group_id' },
    list: (actor) => actor.walk('/v1/groups'),
    shown: (record) => record,
  },
  resources: {
    told: { resource: 'resource_id' },
    list: (actor) => actor.walk('/v1/resources'),
    shown: (record) => record,
  },
  'API keys': {
    told: { api_key: 'key_id' },
    list: (actor) => actor.walk('/v1/api-keys'),
    shown: ({ name, permissions, expires_at }) => ({ name, permissions, expires_at }),
  },
};

/** Records that are listed whole, and found by their ids. */
function found(kind: string, path: string): MirroredKind {
  return {
    told: { [kind]: `${kind}_id` },
    list: (actor) => actor.walk(path),
    find: (actor, id) => actor.find(`${path}/${id}`),
    shown: (record) => record,
  };
}

/** What a user owns and what others share with them, without the trash. */
function ofDrive(path: string, type: string) {
  return {
    list: async (actor: Actor): Promise<Mirrored[]> => {
      const own = await actor.walk(path);
      const shared = await actor.walk(`${path}?shared=true`);
      const all = new Map([...own, ...shared].map((record) => [record.id, record]));
      return [...all.values()].filter((record) => record.type === type);
    },
    find: (actor: Actor, id: string) => activeOnly(actor.find(`${path}/${id}`)),
    shown: (record: Mirrored) => record,
  };
}

async function activeOnly(finding: Promise<Mirrored | undefined>): Promise<Mirrored | undefined> {
  const record = await finding;
  return record?.state === 'active' ? record : undefined;
}

/** With the state of the cells, which the record of the document does not have. */
async function withState(actor: Actor, record: Mirrored): Promise<Mirrored> {
  const { state } = await actor.get(`/v1/spreadsheets/${record.id}`);
  return { ...record, state };
}

/** The whole records of the events on the calendars of a user. */
async function eventsOf(actor: Actor): Promise<Mirrored[]> {
  const events: Mirrored[] = [];
  for (const { id: calendar } of await actor.get('/v1/calendars')) {
    const path = `/v1/calendars/${calendar}/events`;
    for (const { id } of await actor.walk(`${path}?${YEAR}`)) events.push(await actor.get(`${path}/${id}`));
  }
  return events;
}

/** On the calendar that a change names; a response names none. */
async function findEvent(actor: Actor, id: string, { ids }: Told): Promise<Mirrored | undefined> {
  const { calendar_id } = ids;
  const calendars = calendar_id === undefined ? await actor.get('/v1/calendars') : [{ id: calendar_id }];
  for (const calendar of calendars) {
    const record = await actor.find(`/v1/calendars/${calendar.id}/events/${id}`);
    if (record) return record;
  }
  return undefined;
}
