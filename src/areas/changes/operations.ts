import type { Content } from '../../contract/answers.ts';
import { type Operation, reads } from '../../contract/operation.ts';
import { ChangesPage, ChangesQuery } from './schema.ts';
import type { ChangesService } from './service.ts';
import { webhooksOperations } from './webhooks/operations.ts';
import type { WebhooksDependencies } from './webhooks/webhooks.ts';

const EVENT_STREAM = 'text/event-stream';

export function changesOperations(changes: ChangesService, webhooks: WebhooksDependencies): Operation[] {
  return [following(changes), ...webhooksOperations(webhooks)];
}

function following(changes: ChangesService): Operation {
  return reads({
    id: 'readChanges',
    area: 'Changes',
    method: 'GET',
    path: '/v1/changes',
    summary: 'Follow what changes',
    agent: {
      tool: 'list_changes',
      title: 'See what changed',
      hint: 'Changes since a cursor; without one, the cursor of now.',
    },
    description:
      'Everything that was written and that the key may see, in the order of commits, nothing twice and nothing left out; ' +
      'never content. Without a cursor, the cursor of now. To mirror: take a cursor, list everything, follow. Types that the ' +
      'key may not read are passed over; named in types they are refused. With Accept: text/event-stream the same as ' +
      'server-sent events: id is the cursor, event the type, data the change; Last-Event-ID resumes. A key has at most 20 ' +
      'streams and waits.',
    permissions: [],
    query: ChangesQuery,
    answer: ChangesPage,
    streams: EVENT_STREAM,
    errors: ['insufficient_scope', 'invalid_cursor', 'cursor_expired', 'rate_limited'],
    prepare: async ({ principal, query, headers }): Promise<Content | ChangesPage> => {
      const { authorization } = headers;
      if (!wantsEvents(headers.accept)) return changes.read(principal, query, authorization);
      return changes.stream(principal, query, {
        authorization,
        lastEventId: oneHeader(headers['last-event-id']),
      });
    },
  });
}

/**
 * Whether the client asks for events by name, as a browser's EventSource does; a client that accepts any type gets
 * JSON.
 */
function wantsEvents(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    // Names of types and parameters have no case (RFC 9110, section 8.3.1), and what has weight 0 is not accepted (12.4.2).
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return (
      type === EVENT_STREAM && !parameters.some((one) => one.startsWith('q=') && Number(one.slice(2)) === 0)
    );
  });
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  const header = Array.isArray(value) ? value[0] : value;
  return header === '' ? undefined : header;
}
