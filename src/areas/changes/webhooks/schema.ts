import { type Static, Type } from 'typebox';
import { TYPE_NAMES } from '../../../contract/change-types.ts';
import { lineOfText } from '../../../contract/storable-text.ts';
import { timestamp } from '../../../contract/timestamp.ts';

/** Why a webhook is disabled. `key_ended` follows from the key; the other reasons are stored. */
export const DISABLED_REASONS = ['gone', 'failing', 'key_ended'] as const;

const Name = lineOfText(0, 255, {
  description: 'What the webhook is for: up to 255 characters, no control characters; "" when absent.',
  examples: ['Search index'],
});

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[!-~]{1,2000}$',
  description:
    'Where changes are posted: https, without user, password and fragment. Its host must have no private address, and http is ' +
    'not taken, unless the settings of the server name the host.',
  examples: ['https://example.org/atrium'],
});

const Types = Type.Array(Type.Enum(TYPE_NAMES, { title: 'ChangeTypeName' }), {
  minItems: 1,
  maxItems: TYPE_NAMES.length,
  uniqueItems: true,
  description: 'What is delivered: types of changes, and kinds such as message.*.',
  examples: [['message.created', 'file.*']],
});

const members = {
  id: Type.String({ description: 'Names the webhook.', examples: ['whk_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  name: Name,
  url: Url,
  types: Types,
  state: Type.Enum(['active', 'disabled'], {
    description: 'A disabled webhook keeps its place and delivers nothing.',
  }),
  disabled_reason: Type.Union([Type.Enum(DISABLED_REASONS), Type.Null()], {
    description:
      'gone: the endpoint has answered 410. failing: it accepted nothing for five days. key_ended: the key that made the ' +
      'webhook was revoked or has expired, or its user is suspended. Null while it is active.',
    examples: [null],
  }),
  lag_seconds: Type.Integer({
    minimum: 0,
    description: 'How long ago the oldest change was written that waits to be accepted; 0 when none waits.',
    examples: [0],
  }),
  last_delivered_at: Type.Union([timestamp('When a change was accepted last.'), Type.Null()], {
    description: 'When a change was accepted last; null when none was.',
    examples: ['2026-03-02T09:00:00.000Z'],
  }),
  created_at: timestamp('When it was made.'),
  updated_at: timestamp('When name, url or types were changed last.'),
};

export const Webhook = Type.Object(members, { title: 'Webhook', additionalProperties: false });

export const CreatedWebhook = Type.Object(
  {
    ...members,
    secret: Type.String({
      description:
        'Shown only here: whsec_ and the base64 of the bytes that sign every delivery, as Standard Webhooks has it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  },
  { title: 'CreatedWebhook', additionalProperties: false },
);

export const NewWebhook = Type.Object(
  { url: Url, types: Types, name: Type.Optional(Name) },
  { additionalProperties: false },
);

export const WebhookChanges = Type.Object(
  { url: Type.Optional(Url), types: Type.Optional(Types), name: Type.Optional(Name) },
  { additionalProperties: false, minProperties: 1 },
);

const outcome = {
  change_id: Type.String({
    description: 'The change, which the header webhook-id names.',
    examples: ['chg_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
  type: Type.String({
    description: 'The type of the change, or webhook.test.',
    examples: ['message.created'],
  }),
  at: timestamp('When it was tried.'),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The status of the answer; null when there was none.',
    examples: [204],
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it was not accepted, for people; null when it was.',
    examples: [null],
  }),
};

export const WebhookAttempt = Type.Object(
  {
    id: Type.String({ description: 'Names the attempt.', examples: ['wha_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    ...outcome,
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'How long it took, in milliseconds.',
      examples: [82],
    }),
  },
  { title: 'WebhookAttempt', additionalProperties: false },
);

export const DeadDelivery = Type.Object(
  {
    id: Type.String({ description: 'Names the delivery.', examples: ['whd_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    ...outcome,
    redelivering: Type.Boolean({
      description: 'Whether it is to be delivered once more; it leaves the list when it is accepted.',
      examples: [false],
    }),
  },
  { title: 'DeadDelivery', additionalProperties: false },
);

export type Webhook = Static<typeof Webhook>;
export type CreatedWebhook = Static<typeof CreatedWebhook>;
export type NewWebhook = Static<typeof NewWebhook>;
export type WebhookChanges = Static<typeof WebhookChanges>;
export type WebhookAttempt = Static<typeof WebhookAttempt>;
export type DeadDelivery = Static<typeof DeadDelivery>;
