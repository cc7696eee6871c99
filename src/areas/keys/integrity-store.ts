import { ALL_PERMISSIONS } from '../../contract/permissions.ts';
import {
  ANY_TIME,
  columnsHold,
  elementsOf,
  type IntegrityRule,
  TIME,
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
  columnsHold('api_keys', { created_at: TIME, expires_at: ANY_TIME, revoked_at: TIME }),
  {
    says: 'Each key may do what there is to be allowed',
    broken: (engine) => `
      select k.id from api_keys as k cross join ${elementsOf(engine, 'k.permissions')} as p
      where ${textOf(engine, 'p.value')} not in (${ALL_PERMISSIONS.map((name) => `'${name}'`).join(', ')})`,
  },
];
