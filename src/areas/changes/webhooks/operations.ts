import { Type } from 'typebox';
import { shownTypes } from '../../../contract/change-types.ts';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import {
  CreatedWebhook,
  DeadDelivery,
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookChanges,
} from './schema.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  keepTest,
  newestAttempts,
  pageOfDead,
  pageOfWebhooks,
  redeliver,
  resumeWebhook,
  sendTest,
  urlProblems,
  type WebhooksDependencies,
} from './webhooks.ts';

const area = 'Changes';
const id = Type.String({ description: 'The webhook.', examples: ['whk_01k0qv5m8qe3rsgm9y3f2c7d4x'] });
const ByWebhook = Type.Object({ id });
const ByDelivery = Type.Object({
  id,
  delivery: Type.String({
    description: 'The dead delivery.',
    examples: ['whd_01k0qv5m8qe3rsgm9y3f2c7d4x'],
  }),
});

export function webhooksOperations(webhooks: WebhooksDependencies): Operation[] {
  return [
    ...reading(webhooks),
    creating(webhooks),
    ...changing(webhooks),
    ...trying(webhooks),
    ...deadDeliveries(webhooks),
  ];
}

function reading(webhooks: WebhooksDependencies): Operation[] {
  return [
    reads({
      id: 'listWebhooks',
      area,
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'List webhooks',
      description: 'Those of the user, whichever key made them, in order of creation.',
      permissions: ['webhooks.read'],
      paging: { default: 25, cap: 100 },
      answer: Type.Array(Webhook),
      handle: (tx, { principal, page }) => pageOfWebhooks(tx, webhooks, principal, page),
    }),
    reads({
      id: 'getWebhook',
      area,
      method: 'GET',
      path: '/v1/webhooks/:id',
      summary: 'Get a webhook',
      permissions: ['webhooks.read'],
      params: ByWebhook,
      answer: Webhook,
      handle: (tx, { principal, params }) => getWebhook(tx, webhooks, principal, params.id),
    }),
  ];
}

function creating(webhooks: WebhooksDependencies): Operation {
  return writes({
    id: 'createWebhook',
    area,
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    description:
      'Posts every change of these types from now on that the calling key is shown, in order, one at a time and at least ' +
      'once, until the key ends. Deliveries follow Standard Webhooks: headers webhook-id (the id of the change), ' +
      'webhook-timestamp and webhook-signature; a JSON body of type, timestamp and data, which is the change. Any 2xx within ' +
      '15 seconds accepts it; 410 disables the webhook; redirects are not followed. Anything else is tried again after 5 s, ' +
      '5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and then every 24 h, or later where Retry-After says so. The answer is the ' +
      'only place that shows the secret.',
    permissions: ['webhooks.write'],
    body: NewWebhook,
    status: 201,
    answer: CreatedWebhook,
    errors: ['insufficient_scope', 'quota_exceeded'],
    secret: true,
    check: ({ principal, body }) => {
      if (body.types) shownTypes(principal.permissions, body.types);
      return urlProblems(webhooks, body);
    },
    prepare: () => webhooks.era(),
    handle: (tx, { principal, body }, era) => createWebhook(tx, webhooks, principal, body, era),
  });
}

function changing(webhooks: WebhooksDependencies): Operation[] {
  return [
    writes({
      id: 'updateWebhook',
      area,
      method: 'PUT',
      path: '/v1/webhooks/:id',
      summary: 'Change a webhook',
      description:
        'Replaces the fields that are sent, and tries at once what waits. The calling key must be shown its types, those ' +
        'before and after; the one that made the webhook, those after.',
      permissions: ['webhooks.write'],
      params: ByWebhook,
      body: WebhookChanges,
      answer: Webhook,
      errors: ['insufficient_scope', 'webhook_stopped'],
      check: ({ principal, body }) => {
        if (body.types) shownTypes(principal.permissions, body.types);
        return urlProblems(webhooks, body);
      },
      handle: (tx, { principal, params, body }) => changeWebhook(tx, webhooks, principal, params.id, body),
    }),
    writes({
      id: 'deleteWebhook',
      area,
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      summary: 'Delete a webhook',
      description: 'What waits is not delivered any more; its attempts and dead deliveries go with it.',
      permissions: ['webhooks.write'],
      params: ByWebhook,
      status: 204,
      handle: (tx, { principal, params }) => deleteWebhook(tx, principal, params.id),
    }),
  ];
}

function trying(webhooks: WebhooksDependencies): Operation[] {
  return [
    writes({
      id: 'testWebhook',
      area,
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      summary: 'Test a webhook',
      description:
        'Posts an event of the type webhook.test at once and answers what came of it, whether the webhook is active or not.',
      permissions: ['webhooks.write'],
      params: ByWebhook,
      answer: WebhookAttempt,
      prepare: ({ principal, params }) => sendTest(webhooks, principal, params.id),
      handle: (tx, { principal, params }, attempt) => keepTest(tx, principal, params.id, attempt),
    }),
    writes({
      id: 'resumeWebhook',
      area,
      method: 'POST',
      path: '/v1/webhooks/:id/resume',
      summary: 'Resume a webhook',
      description: 'Goes on from the place that was kept when it was disabled. An active one stays as it is.',
      permissions: ['webhooks.write'],
      params: ByWebhook,
      answer: Webhook,
      errors: ['webhook_stopped', 'cursor_expired'],
      handle: (tx, { principal, params }) => resumeWebhook(tx, webhooks, principal, params.id),
    }),
    reads({
      id: 'listWebhookAttempts',
      area,
      method: 'GET',
      path: '/v1/webhooks/:id/attempts',
      summary: 'List the attempts of a webhook',
      description: 'The newest hundred, newest first, tests too.',
      permissions: ['webhooks.read'],
      params: ByWebhook,
      answer: Type.Array(WebhookAttempt),
      handle: (tx, { principal, params }) => newestAttempts(tx, principal, params.id),
    }),
  ];
}

function deadDeliveries(webhooks: WebhooksDependencies): Operation[] {
  return [
    reads({
      id: 'listDeadDeliveries',
      area,
      method: 'GET',
      path: '/v1/webhooks/:id/dead',
      summary: 'List the dead deliveries of a webhook',
      description:
        'Changes that the endpoint refused eight times with a 4xx while it accepted others. They are not tried any more by ' +
        'themselves.',
      permissions: ['webhooks.read'],
      params: ByWebhook,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(DeadDelivery),
      handle: (tx, { principal, params, page }) => pageOfDead(tx, principal, params.id, page),
    }),
    writes({
      id: 'redeliverDeadDelivery',
      area,
      method: 'POST',
      path: '/v1/webhooks/:id/dead/:delivery/redeliver',
      summary: 'Redeliver a dead delivery',
      description:
        'Delivers it once more, soon, or once the webhook is resumed. It leaves the list when it is accepted, and stays in it ' +
        'when it is not, or when the webhook no longer has its type. The calling key must be shown that type.',
      permissions: ['webhooks.write'],
      params: ByDelivery,
      answer: DeadDelivery,
      errors: ['insufficient_scope'],
      handle: (tx, { principal, params }) => redeliver(tx, webhooks, principal, params.id, params.delivery),
    }),
  ];
}
