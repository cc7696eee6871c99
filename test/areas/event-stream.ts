import assert from 'node:assert/strict';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { OWNER_KEY } from '../harness.ts';
import type { Change } from './changes-feed.ts';

/** The change feed as server-sent events, read as a client of the standard reads them. */
export interface EventStream {
  headers: Headers;
  /** Rejects where the stream ends before an event. */
  next(): Promise<Required<EventSourceMessage>>;
  /** Resolves when the server has ended the stream, and reads over what comes before. */
  isOver(): Promise<boolean>;
  close(): Promise<void>;
}

/** Where a stream begins, whose it is, and what it shows. */
interface Asked {
  cursor?: string;
  lastEventId?: string;
  key?: string;
  types?: string;
}

/** Resolves once the server has begun to answer. */
export async function openEventStream(
  address: string,
  { cursor, lastEventId, key = OWNER_KEY, types }: Asked,
): Promise<EventStream> {
  const query = new URLSearchParams({ ...(cursor && { cursor }), ...(types && { types }) });
  const response = await fetch(`${address}/v1/changes?${query}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream', String(response.status));
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onError: 'terminate' }))
    .getReader();
  assert.ok(reader);
  return {
    headers: response.headers,
    next: async () => {
      const { value } = await reader.read();
      assert.ok(value?.id && value.event, 'the stream has ended, or an event has no id or name');
      return { id: value.id, event: value.event, data: value.data };
    },
    isOver: async () => {
      for (;;) if ((await reader.read()).done) return true;
    },
    close: () => reader.cancel(),
  };
}

/** The change that an event says. */
export function changeIn({ data }: Pick<EventSourceMessage, 'data'>): Change {
  return JSON.parse(data);
}
