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
}
