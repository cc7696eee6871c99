import type { IntegrityRule } from '../../storage/integrity-rule.ts';

/** What holds in every workspace. */
export const DIRECTORY_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each user is in a workspace, and is found by the e-mail address',
    broken: () => `
      select u.id from users as u
      left join workspaces as w on w.id = u.workspace_id
      left join user_addresses as a on a.user_id = u.id and a.workspace_id = u.workspace_id
      where w.id is null or a.user_id is null`,
  },
  ...[
    'api_keys',
    'group_members',
    'user_addresses',
    'mail_folders',
    'messages',
    'address_books',
    'calendars',
  ].map((table) => ({
    says: `Each row of ${table} is of a user of its workspace`,
    broken: () => `
        select t.user_id as id from ${table} as t
        left join users as u on u.workspace_id = t.workspace_id and u.id = t.user_id
        where u.id is null`,
  })),
];
