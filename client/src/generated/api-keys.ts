// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { RequestOptions, Requests } from '../requests.ts';

export interface ListApiKeysQuery {
  /** The keys of this user; of the caller when absent. */
  user_id?: string;
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface ApiKey {
  /** Revokes the key. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters: what the key is for. */
  name: string;
  /** The user that the key acts as. */
  user_id: string;
  /** What the key may do, each permission once. */
  permissions: ('mail.messages.read' | 'mail.messages.write' | 'mail.messages.send' | 'mail.folders.write' | 'mail.settings.read' | 'mail.settings.write' | 'contacts.read' | 'contacts.write' | 'files.read' | 'files.write' | 'files.share' | 'docs.documents.read' | 'docs.documents.write' | 'sheets.values.read' | 'sheets.values.write' | 'sheets.structure.write' | 'calendar.freebusy.read' | 'calendar.events.read' | 'calendar.events.write' | 'directory.read' | 'directory.write' | 'keys.read' | 'keys.write' | 'webhooks.read' | 'webhooks.write')[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339: when the key stops. Without it, it works until it is revoked. A key made by a key ends no later than that. */
  expires_at?: string;
  /** The key that made it, revoked or not. Absent where the command line or the first start made it, and of keys that are older than this member. */
  made_by?: string;
  /** session where a browser that has signed in acts with it; absent of every other key. */
  kind?: 'session';
}

export interface CreateApiKeyBody {
  /** 1 to 255 characters, not only blanks, no control characters: what the key is for. */
  name: string;
  /** RFC 3339: when the key stops. When absent, it stops with the calling key; a later time than that of the calling key is refused. Where that does not end either, the new key works until it is revoked. */
  expires_at?: string;
  /** The user that the key acts as; the caller when absent. */
  user_id?: string;
  /** What the key may do, each permission once. */
  permissions?: ('mail.messages.read' | 'mail.messages.write' | 'mail.messages.send' | 'mail.folders.write' | 'mail.settings.read' | 'mail.settings.write' | 'contacts.read' | 'contacts.write' | 'files.read' | 'files.write' | 'files.share' | 'docs.documents.read' | 'docs.documents.write' | 'sheets.values.read' | 'sheets.values.write' | 'sheets.structure.write' | 'calendar.freebusy.read' | 'calendar.events.read' | 'calendar.events.write' | 'directory.read' | 'directory.write' | 'keys.read' | 'keys.write' | 'webhooks.read' | 'webhooks.write')[];
  /** Instead of permissions: those of a set that the calling key has. agent: all but mail.messages.send, files.share, keys.write, directory.write and webhooks.write; mail: all of mail; drive: all of files, documents and spreadsheets; read-only: all that reads. */
  preset?: 'agent' | 'mail' | 'drive' | 'read-only';
}

export interface CreatedApiKey {
  /** Revokes the key. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters: what the key is for. */
  name: string;
  /** The user that the key acts as. */
  user_id: string;
  /** What the key may do, each permission once. */
  permissions: ('mail.messages.read' | 'mail.messages.write' | 'mail.messages.send' | 'mail.folders.write' | 'mail.settings.read' | 'mail.settings.write' | 'contacts.read' | 'contacts.write' | 'files.read' | 'files.write' | 'files.share' | 'docs.documents.read' | 'docs.documents.write' | 'sheets.values.read' | 'sheets.values.write' | 'sheets.structure.write' | 'calendar.freebusy.read' | 'calendar.events.read' | 'calendar.events.write' | 'directory.read' | 'directory.write' | 'keys.read' | 'keys.write' | 'webhooks.read' | 'webhooks.write')[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** RFC 3339: when the key stops. Without it, it works until it is revoked. A key made by a key ends no later than that. */
  expires_at?: string;
  /** The key that made it, revoked or not. Absent where the command line or the first start made it, and of keys that are older than this member. */
  made_by?: string;
  /** session where a browser that has signed in acts with it; absent of every other key. */
  kind?: 'session';
  /** The key itself, shown only here: "atr_" and 40 base-62 characters, of which the last six are the CRC-32 of the 34 before them. */
  key: string;
}

export interface OwnApiKey {
  /** Revokes the key. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters: what the key is for. */
  name: string;
  /** The user that the key acts as. */
  user_id: string;
  /** What the key may do, each permission once. */
  permissions: ('mail.messages.read' | 'mail.messages.write' | 'mail.messages.send' | 'mail.folders.write' | 'mail.settings.read' | 'mail.settings.write' | 'contacts.read' | 'contacts.write' | 'files.read' | 'files.write' | 'files.share' | 'docs.documents.read' | 'docs.documents.write' | 'sheets.values.read' | 'sheets.values.write' | 'sheets.structure.write' | 'calendar.freebusy.read' | 'calendar.events.read' | 'calendar.events.write' | 'directory.read' | 'directory.write' | 'keys.read' | 'keys.write' | 'webhooks.read' | 'webhooks.write')[];
  /** When the key stops; null where it works until it is revoked. */
  expires_at: string | null;
}

export interface RevokeApiKeyQuery {
  /** true revokes with the key all that it has made, that those have made, and so on, of other users too: all or none. Default false: what it has made goes on. */
  made_by?: boolean;
}

export interface SignInCode {
  /** Opens one session in a browser, shown only here. */
  code: string;
  /** The page with the code in its fragment, which no browser sends and no log has. */
  url: string;
  /** When the code ends, unless it was used before. RFC 3339, UTC, with milliseconds. */
  expires_at: string;
}

/** API keys: one method for each operation. */
export class ApiKeys {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List API keys
   *
   * The keys of a user in order of creation, expired ones too, revoked ones not. Another user than the caller needs directory.write as well.
   *
   * Permission: `keys.read`.
   */
  listApiKeys(query: ListApiKeysQuery = {}, options: RequestOptions = {}): Pages<ApiKey> {
    return this.requests.pages({ path: '/v1/api-keys', query }, options);
  }

  /**
   * Create an API key
   *
   * A key acts as one user of the workspace. It can be granted only what the calling key may do itself, by permissions or by a preset, of which it gets what the calling key has; for another user than the caller, directory.write is needed as well. It ends no later than the calling key, which its made_by names. The answer is the only place that shows the key.
   *
   * Permission: `keys.write`.
   */
  createApiKey(body: CreateApiKeyBody, options: RequestOptions = {}): Promise<CreatedApiKey> {
    return this.requests.data({ method: 'POST', path: '/v1/api-keys', body }, options);
  }

  /**
   * Get the calling API key
   *
   * What the key may do, and until when: any key may ask.
   *
   * Any key may call this.
   */
  getOwnApiKey(options: RequestOptions = {}): Promise<OwnApiKey> {
    return this.requests.data({ path: '/v1/api-keys/me' }, options);
  }

  /**
   * Revoke an API key
   *
   * The key stops with the next request; on other nodes within 5 seconds. What it has made goes on, unless made_by=true revokes that too. The calling key must have every permission of the keys that are revoked, or none is: details.missing_permission names one that it lacks. Keys of other users need directory.write as well, and are not found without it.
   *
   * Permission: `keys.write`.
   */
  revokeApiKey(id: string, query: RevokeApiKeyQuery = {}, options: RequestOptions = {}): Promise<void> {
    return this.requests.done({ method: 'DELETE', path: path`/v1/api-keys/${id}`, query }, options);
  }

  /**
   * Make a sign-in code
   *
   * A code opens one session of the user in a browser, once and within ten minutes. The session can do what the calling key can, and ends no later than it; a code whose maker has ended opens nothing. Needs directory.write as well. The answer is the only place that shows the code; its url is at the address of the request.
   *
   * Permission: `keys.write`.
   */
  createSignInCode(id: string, options: RequestOptions = {}): Promise<SignInCode> {
    return this.requests.data({ method: 'POST', path: path`/v1/users/${id}/sign-in-codes` }, options);
  }
}
