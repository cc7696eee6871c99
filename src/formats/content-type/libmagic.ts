import { Thread } from '../thread.ts';
import type { LibmagicAnswer } from './libmagic-worker.ts';

/** Usual texts take some twenty milliseconds, the slowest a quarter of a second; bytes that take longer than this are made to. */
const ANSWER_WITHIN_MS = 5_000;
const HEAP_MEGABYTES = 128;
/** Uploads wait with all that they hold anyway; the type of one that is turned away would never be known. */
const WAITING = { each: 1_000, all: 10_000 };

const thread = new Thread<Uint8Array, LibmagicAnswer>({
  module: new URL('./libmagic-worker.ts', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
  heapMegabytes: HEAP_MEGABYTES,
  waiting: WAITING,
});

/** The media type that libmagic tells by the first bytes of some content. Rejects when it finds no answer in time, or cannot be loaded. */
export async function askLibmagic(head: Uint8Array): Promise<string> {
  const answer = await thread.ask(head, head.length);
  if ('unusable' in answer) throw new Error(answer.unusable);
  return answer.type;
}
