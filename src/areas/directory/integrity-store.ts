import {
  arrayLength,
  COUNT,
  columnsHold,
  FROM_ONE,
  type IntegrityRule,
  TIME,
  TRUTH,
} from '../../storage/schema/integrity-rule.ts';
import { Resource, User } from './schema.ts';

/** By table, the column that names the user who owns a row. */
const USER_COLUMNS = {
  api_keys: 'user_id',
  group_members: 'user_id',
  user_addresses: 'user_id',
  mail_folders: 'user_id',
  messages: 'user_id',
  expunged_messages: 'user_id',
  mail_filters: 'user_id',
  mail_outbox: 'user_id',
  address_books: 'user_id',
  calendars: 'user_id',
  nodes: 'owner_id',
};

/** The integrity rules of every workspace. */
export const DIRECTORY_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each user is in a workspace, and is found by the e-mail address',
    broken: () => `
      select u.id from users as u
      left join workspaces as w on w.id = u.workspace_id
      left join user_addresses as a on a.user_id = u.id and a.workspace_id = u.workspace_id
      where w.id is null or a.user_id is null`,
  },
  {
    says: 'Each user is found by every address',
    broken: (engine) => `
      select u.id from users as u
      where 1 + ${arrayLength(engine, 'u.aliases')} <>
        (select count(*) from user_addresses as a where a.workspace_id = u.workspace_id and a.user_id = u.id)`,
  },
  {
    says: 'Each member is one of a group',
    broken: () => `
      select m.user_id as id from group_members as m
      left join groups as g on g.workspace_id = m.workspace_id and g.id = m.group_id
      where g.id is null`,
  },
  ...Object.entries(USER_COLUMNS).map(([table, column]) => ({
    says: `Each row of ${table} is of a user of its workspace`,
    broken: () => `
        select t.${column} as id from ${table} as t
        left join users as u on u.workspace_id = t.workspace_id and u.id = t.${column}
        where u.id is null`,
  })),
  columnsHold('workspaces', { created_at: TIME }),
  columnsHold('users', {
    state: { oneOf: User.properties.state.enum },
    is_owner: TRUTH,
    share_availability: TRUTH,
    created_at: TIME,
    updated_at: TIME,
  }),
  columnsHold('groups', { created_at: TIME, updated_at: TIME }),
  columnsHold('group_members', { position: COUNT }, 'user_id'),
  columnsHold('resources', {
    kind: { oneOf: Resource.properties.kind.enum },
    capacity: FROM_ONE,
    created_at: TIME,
    updated_at: TIME,
  }),
];
