/** What a lock of a workspace protects; the word is followed by what tells such locks apart. */
type WorkspaceKind =
  | 'calendar'
  | 'contacts'
  | 'document'
  | 'drive'
  | 'group'
  | 'idempotency'
  | 'keys'
  | 'mailbox'
  | 'move'
  | 'owners'
  | 'resource'
  | 'spreadsheet'
  | 'upload'
  | 'user'
  | 'webhooks';

/** A lock for writes to one workspace. Its scope is one in the whole installation, since it contains an id. */
export interface WorkspaceLock {
  readonly workspaceId: string;
  readonly scope: `${WorkspaceKind} ${string}`;
}

/** A lock for what belongs to no workspace. */
export type InstallationScope =
  | `addresses of ${string}`
  | 'migrations'
  | 'full-text index'
  | 'first start'
  | 'blob store'
  | `server secret ${string}`;
