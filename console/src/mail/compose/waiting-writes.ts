import type { Draft } from '../../../../client/src/index.ts';
import type { Call } from '../../../../client/src/requests.ts';
import { outbox } from '../../app/outbox.ts';
import type { Entry } from '../../app/outbox-entry.ts';
import { type Content, contentOf } from './content.ts';
import { laneOf } from './draft-names.ts';
import type { KeptText } from './kept-text.ts';

/** Which of the stored writes are those of a draft: by its lane, or by its id. */
export function ofDraft(key: string): (entry: Entry) => boolean {
  return ({ lane, call }) => lane === laneOf(key) || draftIdIn(call) === key;
}

/** The id of the draft that a write is about. */
export function draftIdIn({ path }: Call): string | undefined {
  return /^\/v1\/drafts\/([^/]+)/.exec(path)?.[1];
}

export function isSending({ call }: Pick<Entry, 'call'>): boolean {
  return call.path.endsWith('/send');
}

/** The sending that goes on by itself: neither it nor what it needs has a problem. */
export function sendingIn(entries: readonly Entry[]): Entry | undefined {
  const hasProblem = entries.some(({ problem }) => problem);
  return hasProblem ? undefined : entries.find(isSending);
}

/** The text that the saving writes of a draft hold, with what an attempt may have done. */
export function keptIn(saves: readonly Entry[]): KeptText | undefined {
  const last = saves.findLast(({ call }) => call.body !== undefined);
  if (!last) return undefined;
  const made = saves.find(({ call, problem }) => call.method === 'POST' && problem?.kind !== 'refused');
  const creation = made && {
    key: made.idempotencyKey,
    content: contentIn(made),
    at: made.attemptedAt || Date.now(),
    sessionId: made.sessionId || outbox.lastSessionId,
  };
  const content = contentIn(last);
  const { method, headers } = last.call;
  const baseState = headers?.['if-match'];
  return {
    content,
    ...(creation && { creation }),
    ...(method === 'PUT' && { pending: content }),
    ...(baseState !== undefined && { baseState }),
  };
}

function contentIn({ call }: Entry): Content {
  return contentOf({ content: call.body, message: { subject: '', text: '' } } as Draft);
}
