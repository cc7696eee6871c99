import type { Change } from '../schema.ts';
import type { WebhookAttempts, WebhookDeadDeliveries } from './delivery-store.ts';
import type { DeadDelivery, Webhook, WebhookAttempt } from './schema.ts';
import type { Webhooks } from './webhook-store.ts';

/** The state of a webhook that its row does not contain. */
interface Present {
  /** Whether the key that created it is valid. */
  hasKey: boolean;
  /** Milliseconds: when the oldest waiting change was written. */
  waitsSince: number | undefined;
  now: number;
}

/** The webhook as the API shows it. */
export function webhookRecord(row: Webhooks, { hasKey, waitsSince, now }: Present): Webhook {
  const reason = hasKey ? row.disabled_reason : 'key_ended';
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    types: JSON.parse(row.types),
    state: reason === null ? 'active' : 'disabled',
    disabled_reason: reason as Webhook['disabled_reason'],
    lag_seconds: waitsSince === undefined ? 0 : Math.max(0, Math.floor((now - waitsSince) / 1000)),
    last_delivered_at: row.last_delivered_at === null ? null : new Date(row.last_delivered_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** The columns of an attempt, except the key of its webhook. */
export type AttemptColumns = Omit<WebhookAttempts, 'workspace_id' | 'webhook_id' | 'slot' | 'number'>;

export function attemptRecord(row: AttemptColumns): WebhookAttempt {
  return {
    id: row.id,
    change_id: row.change_id,
    type: row.type,
    at: new Date(row.at).toISOString(),
    status: row.status,
    duration_ms: row.duration_ms,
    error: row.error,
  };
}

export function deadRecord(row: WebhookDeadDeliveries): DeadDelivery {
  const { id, type } = changeIn(row);
  return {
    id: row.id,
    change_id: id,
    type,
    at: new Date(row.at).toISOString(),
    status: row.status,
    error: row.error,
    redelivering: row.redelivering === 1,
  };
}

/** The delivered change. */
export function changeIn({ change }: Pick<WebhookDeadDeliveries, 'change'>): Change {
  return JSON.parse(change);
}
