// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { RequestOptions, Requests } from '../requests.ts';

export type ChangeTypeName = 'message.created' | 'message.changed' | 'message.moved' | 'message.expunged' | 'message.restored' | 'folder.created' | 'folder.changed' | 'folder.deleted' | 'filter.created' | 'filter.changed' | 'filter.deleted' | 'contact.created' | 'contact.changed' | 'contact.trashed' | 'contact.restored' | 'address_book.created' | 'address_book.changed' | 'file.created' | 'file.changed' | 'file.trashed' | 'file.restored' | 'file.shared' | 'file.unshared' | 'file_folder.created' | 'file_folder.changed' | 'file_folder.trashed' | 'file_folder.restored' | 'file_folder.shared' | 'file_folder.unshared' | 'document.created' | 'document.changed' | 'document.trashed' | 'document.restored' | 'document.shared' | 'document.unshared' | 'spreadsheet.created' | 'spreadsheet.changed' | 'spreadsheet.trashed' | 'spreadsheet.restored' | 'spreadsheet.shared' | 'spreadsheet.unshared' | 'access.changed' | 'calendar.created' | 'calendar.changed' | 'event.created' | 'event.changed' | 'event.deleted' | 'event.responded' | 'user.created' | 'user.changed' | 'group.created' | 'group.changed' | 'resource.created' | 'resource.changed' | 'api_key.created' | 'api_key.revoked' | 'message.*' | 'folder.*' | 'filter.*' | 'contact.*' | 'address_book.*' | 'file.*' | 'file_folder.*' | 'document.*' | 'spreadsheet.*' | 'access.*' | 'calendar.*' | 'event.*' | 'user.*' | 'group.*' | 'resource.*' | 'api_key.*';

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
export type ChangeType = 'message.created' | 'message.changed' | 'message.moved' | 'message.expunged' | 'message.restored' | 'folder.created' | 'folder.changed' | 'folder.deleted' | 'filter.created' | 'filter.changed' | 'filter.deleted' | 'contact.created' | 'contact.changed' | 'contact.trashed' | 'contact.restored' | 'address_book.created' | 'address_book.changed' | 'file.created' | 'file.changed' | 'file.trashed' | 'file.restored' | 'file.shared' | 'file.unshared' | 'file_folder.created' | 'file_folder.changed' | 'file_folder.trashed' | 'file_folder.restored' | 'file_folder.shared' | 'file_folder.unshared' | 'document.created' | 'document.changed' | 'document.trashed' | 'document.restored' | 'document.shared' | 'document.unshared' | 'spreadsheet.created' | 'spreadsheet.changed' | 'spreadsheet.trashed' | 'spreadsheet.restored' | 'spreadsheet.shared' | 'spreadsheet.unshared' | 'access.changed' | 'calendar.created' | 'calendar.changed' | 'event.created' | 'event.changed' | 'event.deleted' | 'event.responded' | 'user.created' | 'user.changed' | 'group.created' | 'group.changed' | 'resource.created' | 'resource.changed' | 'api_key.created' | 'api_key.revoked';

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

export interface ListWebhooksQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface Webhook {
  /** Names the webhook. */
  id: string;
  /** What the webhook is for: up to 255 characters, no control characters; "" when absent. */
  name: string;
  /** Where changes are posted: https, without user, password and fragment. Its host must have no private address, and http is not taken, unless the settings of the server name the host. */
  url: string;
  /** What is delivered: types of changes, and kinds such as message.*. */
  types: ChangeTypeName[];
  /** A disabled webhook keeps its place and delivers nothing. */
  state: 'active' | 'disabled';
  /** gone: the endpoint has answered 410. failing: it accepted nothing for five days. key_ended: the key that made the webhook was revoked or has expired, or its user is suspended. Null while it is active. */
  disabled_reason: 'gone' | 'failing' | 'key_ended' | null;
  /** How long ago the oldest change was written that waits to be accepted; 0 when none waits. */
  lag_seconds: number;
  /** When a change was accepted last; null when none was. */
  last_delivered_at: string | null;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When name, url or types were changed last. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateWebhookBody {
  /** Where changes are posted: https, without user, password and fragment. Its host must have no private address, and http is not taken, unless the settings of the server name the host. */
  url: string;
  /** What is delivered: types of changes, and kinds such as message.*. */
  types: ChangeTypeName[];
  /** What the webhook is for: up to 255 characters, no control characters; "" when absent. */
  name?: string;
}

export interface CreatedWebhook {
  /** Names the webhook. */
  id: string;
  /** What the webhook is for: up to 255 characters, no control characters; "" when absent. */
  name: string;
  /** Where changes are posted: https, without user, password and fragment. Its host must have no private address, and http is not taken, unless the settings of the server name the host. */
  url: string;
  /** What is delivered: types of changes, and kinds such as message.*. */
  types: ChangeTypeName[];
  /** A disabled webhook keeps its place and delivers nothing. */
  state: 'active' | 'disabled';
  /** gone: the endpoint has answered 410. failing: it accepted nothing for five days. key_ended: the key that made the webhook was revoked or has expired, or its user is suspended. Null while it is active. */
  disabled_reason: 'gone' | 'failing' | 'key_ended' | null;
  /** How long ago the oldest change was written that waits to be accepted; 0 when none waits. */
  lag_seconds: number;
  /** When a change was accepted last; null when none was. */
  last_delivered_at: string | null;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When name, url or types were changed last. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
  /** Shown only here: whsec_ and the base64 of the bytes that sign every delivery, as Standard Webhooks has it. */
  secret: string;
}

export interface UpdateWebhookBody {
  /** Where changes are posted: https, without user, password and fragment. Its host must have no private address, and http is not taken, unless the settings of the server name the host. */
  url?: string;
  /** What is delivered: types of changes, and kinds such as message.*. */
  types?: ChangeTypeName[];
  /** What the webhook is for: up to 255 characters, no control characters; "" when absent. */
  name?: string;
}

export interface WebhookAttempt {
  /** Names the attempt. */
  id: string;
  /** The change, which the header webhook-id names. */
  change_id: string;
  /** The type of the change, or webhook.test. */
  type: string;
  /** When it was tried. RFC 3339, UTC, with milliseconds. */
  at: string;
  /** The status of the answer; null when there was none. */
  status: number | null;
  /** Why it was not accepted, for people; null when it was. */
  error: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
}

export interface ListDeadDeliveriesQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface DeadDelivery {
  /** Names the delivery. */
  id: string;
  /** The change, which the header webhook-id names. */
  change_id: string;
  /** The type of the change, or webhook.test. */
  type: string;
  /** When it was tried. RFC 3339, UTC, with milliseconds. */
  at: string;
  /** The status of the answer; null when there was none. */
  status: number | null;
  /** Why it was not accepted, for people; null when it was. */
  error: string | null;
  /** Whether it is to be delivered once more; it leaves the list when it is accepted. */
  redelivering: boolean;
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

  /**
   * List webhooks
   *
   * Those of the user, whichever key made them, in order of creation.
   *
   * Permission: `webhooks.read`.
   */
  listWebhooks(query: ListWebhooksQuery = {}, options: RequestOptions = {}): Pages<Webhook> {
    return this.requests.pages({ path: '/v1/webhooks', query }, options);
  }

  /**
   * Create a webhook
   *
   * Posts every change of these types from now on that the calling key is shown, in order, one at a time and at least once, until the key ends. Deliveries follow Standard Webhooks: headers webhook-id (the id of the change), webhook-timestamp and webhook-signature; a JSON body of type, timestamp and data, which is the change. Any 2xx within 15 seconds accepts it; 410 disables the webhook; redirects are not followed. Anything else is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and then every 24 h, or later where Retry-After says so. The answer is the only place that shows the secret.
   *
   * Permission: `webhooks.write`.
   */
  createWebhook(body: CreateWebhookBody, options: RequestOptions = {}): Promise<CreatedWebhook> {
    return this.requests.data({ method: 'POST', path: '/v1/webhooks', body }, options);
  }

  /**
   * Get a webhook
   *
   * Permission: `webhooks.read`.
   */
  getWebhook(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.requests.data({ path: path`/v1/webhooks/${id}` }, options);
  }

  /**
   * Change a webhook
   *
   * Replaces the fields that are sent, and tries at once what waits. The calling key must be shown its types, those before and after; the one that made the webhook, those after.
   *
   * Permission: `webhooks.write`.
   */
  updateWebhook(id: string, body: UpdateWebhookBody, options: RequestOptions = {}): Promise<Webhook> {
    return this.requests.data({ method: 'PUT', path: path`/v1/webhooks/${id}`, body }, options);
  }

  /**
   * Delete a webhook
   *
   * What waits is not delivered any more; its attempts and dead deliveries go with it.
   *
   * Permission: `webhooks.write`.
   */
  deleteWebhook(id: string, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/webhooks/${id}` }, options);
  }

  /**
   * Test a webhook
   *
   * Posts an event of the type webhook.test at once and answers what came of it, whether the webhook is active or not.
   *
   * Permission: `webhooks.write`.
   */
  testWebhook(id: string, options: RequestOptions = {}): Promise<WebhookAttempt> {
    return this.requests.data({ method: 'POST', path: path`/v1/webhooks/${id}/test` }, options);
  }

  /**
   * Resume a webhook
   *
   * Goes on from the place that was kept when it was disabled. An active one stays as it is.
   *
   * Permission: `webhooks.write`.
   */
  resumeWebhook(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.requests.data({ method: 'POST', path: path`/v1/webhooks/${id}/resume` }, options);
  }

  /**
   * List the attempts of a webhook
   *
   * The newest hundred, newest first, tests too.
   *
   * Permission: `webhooks.read`.
   */
  listWebhookAttempts(id: string, options: RequestOptions = {}): Promise<WebhookAttempt[]> {
    return this.requests.data({ path: path`/v1/webhooks/${id}/attempts` }, options);
  }

  /**
   * List the dead deliveries of a webhook
   *
   * Changes that the endpoint refused eight times with a 4xx while it accepted others. They are not tried any more by themselves.
   *
   * Permission: `webhooks.read`.
   */
  listDeadDeliveries(id: string, query: ListDeadDeliveriesQuery = {}, options: RequestOptions = {}): Pages<DeadDelivery> {
    return this.requests.pages({ path: path`/v1/webhooks/${id}/dead`, query }, options);
  }

  /**
   * Redeliver a dead delivery
   *
   * Delivers it once more, soon, or once the webhook is resumed. It leaves the list when it is accepted, and stays in it when it is not, or when the webhook no longer has its type. The calling key must be shown that type.
   *
   * Permission: `webhooks.write`.
   */
  redeliverDeadDelivery(id: string, delivery: string, options: RequestOptions = {}): Promise<DeadDelivery> {
    return this.requests.data({ method: 'POST', path: path`/v1/webhooks/${id}/dead/${delivery}/redeliver` }, options);
  }
}
