export interface Workspaces {
  id: string;
  name: string;
  created_at: number;
}

export interface Users {
  workspace_id: string;
  id: string;
  name: string;
  /** As given; user_addresses has the folded form. */
  email: string;
  /** JSON array of addresses, as given. */
  aliases: string;
  is_owner: number;
  state: 'active' | 'suspended';
  share_availability: number;
  time_zone: string;
  /** JSON array of `{days, start, end}`, on the clock of time_zone. */
  working_hours: string;
  /** Name, email and aliases, case folded, for searching. */
  search_text: string;
  created_at: number;
  updated_at: number;
}

/** An address is unique across all workspaces: its mail goes to one mailbox. */
export interface UserAddresses {
  /** Case folded. */
  address: string;
  workspace_id: string;
  user_id: string;
}

export interface Groups {
  workspace_id: string;
  id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

export interface GroupMembers {
  workspace_id: string;
  group_id: string;
  user_id: string;
  /** Position in the given list. */
  position: number;
}

export interface Resources {
  workspace_id: string;
  id: string;
  name: string;
  kind: 'room' | 'equipment';
  capacity: number | null;
  created_at: number;
  updated_at: number;
}

/** The workspace of each API key that is no session. */
export interface KeyWorkspaces {
  secret_hash: string;
  workspace_id: string;
}

export interface ApiKeys {
  workspace_id: string;
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the key, lower-case hex. */
  secret_hash: string;
  /** JSON array. */
  permissions: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** The key that made it; null if none did or if it is unknown. */
  made_by: string | null;
  /** Null of a key that is kept by a program; a session has no secret of its own and is reached by its tokens. */
  kind: 'session' | null;
}

/** What a session of a browser has beside its API key. */
export interface Sessions {
  workspace_id: string;
  key_id: string;
  /** SHA-256, lower-case hex, as all hashes here. */
  cookie_hash: string;
  /** 1 of a session that was opened with a key: it ends when that is revoked. */
  ends_with_maker: number;
}

/** A short-lived Bearer of a session. */
export interface SessionTokens {
  workspace_id: string;
  token_hash: string;
  key_id: string;
  expires_at: number;
}

/** Removed when it is used. */
export interface SignInCodes {
  workspace_id: string;
  code_hash: string;
  user_id: string;
  /** The key that made it; null of the command line and the first start. */
  made_by: string | null;
  expires_at: number;
}

/** The right to one GET of one path. */
export interface Tickets {
  workspace_id: string;
  ticket_hash: string;
  key_id: string;
  /** Path and query. */
  path: string;
  /** 1 once the GET has begun; only ranges are served then. */
  begun: number;
  expires_at: number;
}
