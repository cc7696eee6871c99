// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Pages } from '../pages.ts';
import { path } from '../path.ts';
import type { RequestOptions, Requests } from '../requests.ts';

export interface ListUsersQuery {
  /** Only users whose name, e-mail address or an alias contains this, without regard to case. */
  q?: string;
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface User {
  /** Names the user wherever a user id is taken. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** An e-mail address, local@domain, up to 254 characters. */
  email: string;
  /** Further addresses whose mail reaches the user. None may be the e-mail address or given twice. */
  aliases: string[];
  /** The API keys of a suspended user stop at once, and mail for the user is refused. */
  state: 'active' | 'suspended';
  /** Whether others see when the user is busy. When false, free/busy shows an empty list. */
  share_availability: boolean;
  /** The name of an IANA time zone. */
  time_zone: string;
  /** When the user works, on the clock of time_zone; empty where that is not known. Finding a time takes it with working_hours "each". */
  working_hours: {
    /** 1 for Monday to 7 for Sunday. */
    days: number[];
    /** HH:MM on the clock of the user. */
    start: string;
    /** HH:MM on the clock of the user, after start; 24:00 is midnight. */
    end: string;
  }[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateUserBody {
  /** An e-mail address, local@domain, up to 254 characters. */
  email: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** Further addresses whose mail reaches the user. None may be the e-mail address or given twice. */
  aliases?: string[];
  /** The name of an IANA time zone. */
  time_zone?: string;
  /** When the user works, on the clock of time_zone; empty where that is not known. Finding a time takes it with working_hours "each". */
  working_hours?: {
    /** 1 for Monday to 7 for Sunday. */
    days: number[];
    /** HH:MM on the clock of the user. */
    start: string;
    /** HH:MM on the clock of the user, after start; 24:00 is midnight. */
    end: string;
  }[];
}

/** The fields to replace, at least one. */
export interface UpdateUserBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name?: string;
  /** An e-mail address, local@domain, up to 254 characters. */
  email?: string;
  /** Further addresses whose mail reaches the user. None may be the e-mail address or given twice. */
  aliases?: string[];
  /** The API keys of a suspended user stop at once, and mail for the user is refused. */
  state?: 'active' | 'suspended';
  /** Whether others see when the user is busy. When false, free/busy shows an empty list. */
  share_availability?: boolean;
  /** The name of an IANA time zone. */
  time_zone?: string;
  /** When the user works, on the clock of time_zone; empty where that is not known. Finding a time takes it with working_hours "each". */
  working_hours?: {
    /** 1 for Monday to 7 for Sunday. */
    days: number[];
    /** HH:MM on the clock of the user. */
    start: string;
    /** HH:MM on the clock of the user, after start; 24:00 is midnight. */
    end: string;
  }[];
}

export interface ListGroupsQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface Group {
  /** Names the group, as when something is shared with it. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** Ids of users of the workspace; one given twice counts once. */
  member_ids: string[];
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateGroupBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** Ids of users of the workspace; one given twice counts once. */
  member_ids: string[];
}

/** The fields to replace, at least one. */
export interface UpdateGroupBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name?: string;
  /** Ids of users of the workspace; one given twice counts once. */
  member_ids?: string[];
}

export interface ListResourcesQuery {
  /** 1 to 100, default 25; above 100 it is 100. */
  limit?: number;
  /** next_cursor of the previous page. */
  cursor?: string;
}

export interface Resource {
  /** What free/busy takes. */
  id: string;
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** What is booked: a room or equipment. */
  kind: 'room' | 'equipment';
  /** How many people it is made for. */
  capacity?: number;
  /** When it was made. RFC 3339, UTC, with milliseconds. */
  created_at: string;
  /** When it was last changed. RFC 3339, UTC, with milliseconds. */
  updated_at: string;
}

export interface CreateResourceBody {
  /** 1 to 255 characters, not only blanks, no control characters. */
  name: string;
  /** What is booked: a room or equipment. */
  kind: 'room' | 'equipment';
  /** How many people it is made for. */
  capacity?: number;
}

/** Directory: one method for each operation. */
export class Directory {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * List users
   *
   * The users of the workspace, suspended ones too, in order of creation.
   *
   * Permission: `directory.read`.
   */
  listUsers(query: ListUsersQuery = {}, options: RequestOptions = {}): Pages<User> {
    return this.requests.pages({ path: '/v1/users', query }, options);
  }

  /**
   * Create a user
   *
   * The user starts active, with an empty mailbox, and shares availability. No two users of the server have an address in common. Create an API key with the id of the user to act as it.
   *
   * Permission: `directory.write`.
   */
  createUser(body: CreateUserBody, options: RequestOptions = {}): Promise<User> {
    return this.requests.data({ method: 'POST', path: '/v1/users', body }, options);
  }

  /**
   * Get the user that the key acts as
   *
   * Permission: `directory.read`.
   */
  getOwnUser(options: RequestOptions = {}): Promise<User> {
    return this.requests.data({ path: '/v1/users/me' }, options);
  }

  /**
   * Get a user
   *
   * Permission: `directory.read`.
   */
  getUser(id: string, options: RequestOptions = {}): Promise<User> {
    return this.requests.data({ path: path`/v1/users/${id}` }, options);
  }

  /**
   * Change a user
   *
   * Replaces the fields that are sent. Takes "me" for the user that the key acts as. Everyone may change their own share_availability, time_zone and working_hours; anything else needs directory.write. There is no delete: a user who leaves is suspended.
   *
   * Any key may call this.
   */
  updateUser(id: string, body: UpdateUserBody, options: RequestOptions = {}): Promise<User> {
    return this.requests.data({ method: 'PUT', path: path`/v1/users/${id}`, body }, options);
  }

  /**
   * List groups
   *
   * The groups of the workspace, in order of creation.
   *
   * Permission: `directory.read`.
   */
  listGroups(query: ListGroupsQuery = {}, options: RequestOptions = {}): Pages<Group> {
    return this.requests.pages({ path: '/v1/groups', query }, options);
  }

  /**
   * Create a group
   *
   * Files and documents can be shared with a group.
   *
   * Permission: `directory.write`.
   */
  createGroup(body: CreateGroupBody, options: RequestOptions = {}): Promise<Group> {
    return this.requests.data({ method: 'POST', path: '/v1/groups', body }, options);
  }

  /**
   * Change a group
   *
   * Replaces the fields that are sent; member_ids as a whole.
   *
   * Permission: `directory.write`.
   */
  updateGroup(id: string, body: UpdateGroupBody, options: RequestOptions = {}): Promise<Group> {
    return this.requests.data({ method: 'PUT', path: path`/v1/groups/${id}`, body }, options);
  }

  /**
   * List resources
   *
   * The rooms and the equipment of the workspace, in order of creation.
   *
   * Permission: `directory.read`.
   */
  listResources(query: ListResourcesQuery = {}, options: RequestOptions = {}): Pages<Resource> {
    return this.requests.pages({ path: '/v1/resources', query }, options);
  }

  /**
   * Create a resource
   *
   * A room or a piece of equipment that free/busy can be asked about.
   *
   * Permission: `directory.write`.
   */
  createResource(body: CreateResourceBody, options: RequestOptions = {}): Promise<Resource> {
    return this.requests.data({ method: 'POST', path: '/v1/resources', body }, options);
  }
}
