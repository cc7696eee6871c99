import type { Tables } from './tables.ts';

/**
 * Tables that every server of a cluster has whole: they say what is looked up before the workspace is known, or belong to
 * none. All others are spread by `workspace_id`.
 */
export const EVERYWHERE: readonly string[] = [
  'installation_locks',
  'key_workspaces',
  'migrations',
  'server_secrets',
  'user_addresses',
  'workspaces',
] satisfies (keyof Tables | 'migrations')[];
