import { Thread } from '../thread.ts';
import type { MagicAnswer, MagicQuestion, MagicRules } from './magic-question.ts';

/** Usual answers take a millisecond; bytes that take longer than this are made to. */
const ANSWER_WITHIN_MS = 5_000;
const HEAP_MEGABYTES = 128;
/** Uploads wait with all that they hold anyway; the type of one that is turned away would never be known. */
const WAITING = { each: 1_000, all: 10_000 };

const thread = new Thread<MagicQuestion, MagicAnswer>({
  module: new URL('./magic-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
  waiting: WAITING,
});

/** What libmagic makes of the first bytes of some content. Rejects when it finds no answer in time, or cannot be loaded. */
export async function askMagic(head: Uint8Array, rules: MagicRules): Promise<string> {
  const answer = await thread.ask({ head, rules }, head.length);
  if ('unusable' in answer) throw new Error(answer.unusable);
  return answer.type;
}
