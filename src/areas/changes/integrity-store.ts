import {
  ANY_TIME,
  COUNT,
  columnsHold,
  type IntegrityRule,
  TIME,
  TRUTH,
} from '../../storage/schema/integrity-rule.ts';

const STATUS = { least: 100, most: 999 } as const;

const ofWebhook = (table: string): IntegrityRule => ({
  says: `Each row of ${table} is of a webhook`,
  broken: () => `
    select t.id from ${table} as t
    left join webhooks as w on w.workspace_id = t.workspace_id and w.id = t.webhook_id
    where w.id is null`,
});

/** The integrity rules of changes and webhooks. */
export const CHANGES_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each webhook is of the user of the key that made it',
    broken: () => `
      select w.id from webhooks as w
      left join api_keys as k on k.workspace_id = w.workspace_id and k.id = w.key_id and k.user_id = w.user_id
      where k.id is null`,
  },
  ofWebhook('webhook_attempts'),
  ofWebhook('webhook_dead_deliveries'),
  columnsHold('changes', { transaction_id: COUNT, at: TIME }),
  columnsHold('webhooks', {
    disabled_reason: { oneOf: ['gone', 'failing'] },
    transaction_id: COUNT,
    lease: COUNT,
    leased_until: TIME,
    attempts: COUNT,
    refusals: COUNT,
    next_attempt_at: TIME,
    failing_since: ANY_TIME,
    head_at: ANY_TIME,
    last_delivered_at: TIME,
    attempts_made: COUNT,
    created_at: TIME,
    updated_at: TIME,
  }),
  columnsHold('webhook_attempts', {
    slot: { least: 0, most: 99 },
    at: TIME,
    status: STATUS,
    duration_ms: COUNT,
  }),
  columnsHold('webhook_dead_deliveries', { at: TIME, status: STATUS, redelivering: TRUTH }),
];
