import { ALL_PERMISSIONS } from '../../contract/permissions.ts';
import {
  ANY_TIME,
  columnsHold,
  elementsOf,
  type IntegrityRule,
  TIME,
  TRUTH,
  textOf,
} from '../../storage/schema/integrity-rule.ts';

/** The integrity rules of keys. */
export const KEYS_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each key that a key made names one of its workspace, and ends no later',
    broken: () => `
      select k.id from api_keys as k
      left join api_keys as m on m.workspace_id = k.workspace_id and m.id = k.made_by
      where k.made_by is not null
        and (m.id is null or (m.expires_at is not null and (k.expires_at is null or k.expires_at > m.expires_at)))`,
  },
  {
    says: 'Each session is an API key of its kind, and each such key a session',
    broken: () => `
      select k.id from api_keys as k
      left join sessions as s on s.workspace_id = k.workspace_id and s.key_id = k.id
      where k.kind is not null and (k.kind <> 'session' or s.key_id is null)
      union all
      select s.key_id from sessions as s
      left join api_keys as k on k.workspace_id = s.workspace_id and k.id = s.key_id and k.kind = 'session'
      where k.id is null`,
  },
  {
    says: 'The workspace of each key that is no session is known by its secret, and of no other secret',
    broken: () => `
      select k.id from api_keys as k
      left join key_workspaces as w on w.secret_hash = k.secret_hash and w.workspace_id = k.workspace_id
      where k.kind is null and w.secret_hash is null
      union all
      select w.secret_hash from key_workspaces as w
      left join api_keys as k
        on k.workspace_id = w.workspace_id and k.secret_hash = w.secret_hash and k.kind is null
      where k.id is null`,
  },
  columnsHold('sessions', { ends_with_maker: TRUTH }, 'key_id'),
  columnsHold('session_tokens', { expires_at: ANY_TIME }, 'key_id'),
  columnsHold('sign_in_codes', { expires_at: ANY_TIME }, 'user_id'),
  columnsHold('tickets', { begun: TRUTH, expires_at: ANY_TIME }, 'key_id'),
  columnsHold('api_keys', { created_at: TIME, expires_at: ANY_TIME, revoked_at: TIME }),
  {
    says: 'Each key may do what there is to be allowed',
    broken: (engine) => `
      select k.id from api_keys as k cross join ${elementsOf(engine, 'k.permissions')} as p
      where ${textOf(engine, 'p.value')} not in (${ALL_PERMISSIONS.map((name) => `'${name}'`).join(', ')})`,
  },
];
