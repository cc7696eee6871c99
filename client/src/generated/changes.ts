// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { RequestOptions, Requests } from '../requests.ts';

export type ChangeTypeName = 'message.created' | 'message.changed' | 'message.moved' | 'message.expunged' | 'message.restored' | 'folder.created' | 'folder.changed' | 'filter.created' | 'filter.changed' | 'filter.deleted' | 'contact.created' | 'contact.changed' | 'contact.trashed' | 'contact.restored' | 'address_book.created' | 'address_book.changed' | 'file.created' | 'file.changed' | 'file.trashed' | 'file.restored' | 'file.shared' | 'file.unshared' | 'file_folder.created' | 'file_folder.changed' | 'file_folder.trashed' | 'file_folder.restored' | 'file_folder.shared' | 'file_folder.unshared' | 'document.created' | 'document.changed' | 'document.trashed' | 'document.restored' | 'document.shared' | 'document.unshared' | 'spreadsheet.created' | 'spreadsheet.changed' | 'spreadsheet.trashed' | 'spreadsheet.restored' | 'spreadsheet.shared' | 'spreadsheet.unshared' | 'access.changed' | 'calendar.created' | 'calendar.changed' | 'event.created' | 'event.changed' | 'event.deleted' | 'event.responded' | 'user.created' | 'user.changed' | 'group.created' | 'group.changed' | 'resource.created' | 'resource.changed' | 'api_key.created' | 'api_key.revoked' | 'message.*' | 'folder.*' | 'filter.*' | 'contact.*' | 'address_book.*' | 'file.*' | 'file_folder.*' | 'document.*' | 'spreadsheet.*' | 'access.*' | 'calendar.*' | 'event.*' | 'user.*' | 'group.*' | 'resource.*' | 'api_key.*';

export interface ReadChangesQuery {
  /** From an earlier answer. Without one there are no changes, and the cursor of now: take it, list what you mirror, then follow. */
  cursor?: string;
  /** Only these types, or kinds such as message.*. Repeatable. */
  types?: ChangeTypeName | ChangeTypeName[];
  /** 1 to 1,000, default 100; above 1,000 it is 1,000. */
  limit?: number;
  /** Seconds to wait for a change where there is none; above 30 it is 30. */
  wait?: number;
}

/** What has happened, to which kind of object. */
export type ChangeType = 'message.created' | 'message.changed' | 'message.moved' | 'message.expunged' | 'message.restored' | 'folder.created' | 'folder.changed' | 'filter.created' | 'filter.changed' | 'filter.deleted' | 'contact.created' | 'contact.changed' | 'contact.trashed' | 'contact.restored' | 'address_book.created' | 'address_book.changed' | 'file.created' | 'file.changed' | 'file.trashed' | 'file.restored' | 'file.shared' | 'file.unshared' | 'file_folder.created' | 'file_folder.changed' | 'file_folder.trashed' | 'file_folder.restored' | 'file_folder.shared' | 'file_folder.unshared' | 'document.created' | 'document.changed' | 'document.trashed' | 'document.restored' | 'document.shared' | 'document.unshared' | 'spreadsheet.created' | 'spreadsheet.changed' | 'spreadsheet.trashed' | 'spreadsheet.restored' | 'spreadsheet.shared' | 'spreadsheet.unshared' | 'access.changed' | 'calendar.created' | 'calendar.changed' | 'event.created' | 'event.changed' | 'event.deleted' | 'event.responded' | 'user.created' | 'user.changed' | 'group.created' | 'group.changed' | 'resource.created' | 'resource.changed' | 'api_key.created' | 'api_key.revoked';

export interface Change {
  /** The same for all who see the change. */
  id: string;
  /** What has happened, to which kind of object. */
  type: ChangeType;
  /** When it was written. RFC 3339, UTC, with milliseconds. */
  at: string;
  /** Who has written; null where no user has, such as mail that arrives. */
  actor: {
    /** The user that the key acts as. */
    user_id: string;
    /** The API key. */
    key_id: string;
  } | null;
  /** The objects, by the names that the API uses: message_ids and folder_id, file_id, spreadsheet_id with state and ranges, and so on. Plurals are lists. Never content: read the objects, with the rights of now. */
  ids: Record<string, unknown>;
}

export interface ChangesPage {
  /** In the order of commits. */
  changes: Change[];
  /** Where to read on, with or without changes. */
  cursor: string;
  /** Whether more can be read at once. */
  more: boolean;
}

/** Changes: one method for each operation. */
export class Changes {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * Follow what changes
   *
   * Everything that was written and that the key may see, in the order of commits, nothing twice and nothing left out; never content. Without a cursor, the cursor of now. To mirror: take a cursor, list everything, follow. Types that the key may not read are passed over; named in types they are refused. With Accept: text/event-stream the same as server-sent events: id is the cursor, event the type, data the change; Last-Event-ID resumes. A key has at most 20 streams and waits.
   *
   * Any key may call this.
   */
  readChanges(query: ReadChangesQuery = {}, options: RequestOptions = {}): Promise<ChangesPage> {
    return this.requests.data({ path: '/v1/changes', query }, options);
  }
}
