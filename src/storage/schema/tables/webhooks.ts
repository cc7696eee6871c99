/** A subscription to changes, with its place in the feed: one lease delivers its changes, one at a time. */
export interface Webhooks {
  workspace_id: string;
  user_id: string;
  /** The key that made it, whose permissions decide what it sees. */
  key_id: string;
  id: string;
  name: string;
  url: string;
  /** JSON: types of changes, and kinds such as `message.*`. */
  types: string;
  /** As the API told it once: `whsec_` and base64. */
  secret: string;
  /** Null while it is active. */
  disabled_reason: string | null;
  /** That of the feed that the place is in: a restore begins another one. */
  era: string;
  /** The place: everything up to this change was accepted or passed over. */
  transaction_id: number;
  number: number;
  /** Counts the leases, so that who has lost one records nothing. */
  lease: number;
  leased_until: number;
  /** Failed attempts since the last accepted one. */
  attempts: number;
  /** How often the next change was refused with a 4xx. */
  refusals: number;
  next_attempt_at: number;
  /** The first failure since the last acceptance. */
  failing_since: number | null;
  /** The time of the change that fails. */
  head_at: number | null;
  last_delivered_at: number | null;
  /** Counts attempts ever made: the newest hundred are kept. */
  attempts_made: number;
  created_at: number;
  updated_at: number;
}

/** The newest attempts of a webhook, each in the slot of its number. */
export interface WebhookAttempts {
  workspace_id: string;
  webhook_id: string;
  slot: number;
  number: number;
  id: string;
  change_id: string;
  type: string;
  at: number;
  /** Null where no answer came. */
  status: number | null;
  duration_ms: number;
  error: string | null;
}

/** A change that an endpoint refused while it accepted others. */
export interface WebhookDeadDeliveries {
  workspace_id: string;
  webhook_id: string;
  id: string;
  /** JSON: the change as it was delivered. */
  change: string;
  /** When it was refused last. */
  at: number;
  status: number | null;
  error: string | null;
  /** Whether it is to be delivered once more. */
  redelivering: number;
}
