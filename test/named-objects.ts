/** Whether a reader of the change feed can fetch what a change names. */
import assert from 'node:assert/strict';
import type { Change } from './areas/changes-feed.ts';
import type { TestApp } from './harness.ts';

/** What is gone with the change that says so. */
const GONE = ['message.expunged', 'folder.deleted', 'filter.deleted', 'event.deleted', 'api_key.revoked'];
const WITHIN = 'start=2026-01-01T00:00:00Z&end=2026-12-31T00:00:00Z';

/** By the member of `ids`: the record of an object, for kinds that have a request for one. */
const RECORDS: Readonly<Record<string, (id: string, ids: Change['ids']) => string>> = {
  message_id: (id) => `/v1/messages/${id}`,
  draft_id: (id) => `/v1/drafts/${id}`,
  filter_id: (id) => `/v1/mail/filters/${id}`,
  contact_id: (id) => `/v1/contacts/${id}`,
  file_id: (id) => `/v1/files/${id}`,
  document_id: (id) => `/v1/documents/${id}`,
  spreadsheet_id: (id) => `/v1/documents/${id}`,
  user_id: (id) => `/v1/users/${id}`,
};

/** The lists in which the others are. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  folder_id: ['/v1/folders'],
  from_folder_id: ['/v1/folders'],
  address_book_id: ['/v1/address-books'],
  calendar_id: ['/v1/calendars'],
  event_id: [`/v1/invitations?${WITHIN}`],
  group_id: ['/v1/groups'],
  resource_id: ['/v1/resources'],
  key_id: ['/v1/api-keys'],
};
const FILE_FOLDERS = ['/v1/file-folders', '/v1/file-folders?trashed=true'];

/** Fails unless the owner finds each object that a change names and that is not gone with it. */
export async function requireFound(app: TestApp, { type, ids }: Change): Promise<void> {
  if (GONE.includes(type)) return;
  for (const [member, value] of Object.entries(ids)) {
    if (member === 'state' || member === 'ranges') continue;
    for (const id of [value].flat()) await requireOne(app, { type, ids }, member.replace(/s$/, ''), id);
  }
}

async function requireOne(
  app: TestApp,
  { type, ids }: Pick<Change, 'type' | 'ids'>,
  member: string,
  id: string,
): Promise<void> {
  const path = pathOf(member, id, ids);
  const what = `${type} names ${member} ${id}`;
  if (path !== undefined) {
    const { status, json } = await app.get(path);
    assert.deepEqual([status, json.data?.id], [200, id], what);
    return;
  }
  const lists = type.startsWith('file_folder.') ? FILE_FOLDERS : LISTS[member];
  assert.ok(lists, what);
  const found = member === 'event_id' ? await ownEvents(app) : [];
  for (const list of lists) found.push(...(await idsIn(app, list)));
  assert.ok(found.includes(id), what);
}

function pathOf(member: string, id: string, ids: Change['ids']): string | undefined {
  if (member === 'event_id' && ids.calendar_id !== undefined)
    return `/v1/calendars/${ids.calendar_id}/events/${id}`;
  return RECORDS[member]?.(id, ids);
}

/** A response names no calendar: the event is an invitation, or on a calendar of the owner. */
async function ownEvents(app: TestApp): Promise<string[]> {
  const ids: string[] = [];
  for (const calendar of await idsIn(app, '/v1/calendars'))
    ids.push(...(await idsIn(app, `/v1/calendars/${calendar}/events?${WITHIN}`)));
  return ids;
}

async function idsIn(app: TestApp, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const query = cursor && `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    const { data, pagination } = (await app.get(`${path}${query}`)).json;
    ids.push(...data.map((record: { id: string }) => record.id));
    if (!pagination?.has_more) return ids;
    cursor = pagination.next_cursor;
  }
}
