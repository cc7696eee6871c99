import { parentPort } from 'node:worker_threads';
import { Libmagic } from './libmagic.ts';
import type { MagicAnswer, MagicQuestion, MagicRules } from './magic-question.ts';

/** As libmagic(3) has them: answer with the type, and leave the rules for texts out. */
const MIME_TYPE = 0x10;
const NO_CHECK_TEXT = 0x20000;

const FLAGS: Readonly<Record<MagicRules, number>> = { all: MIME_TYPE, binary: MIME_TYPE | NO_CHECK_TEXT };

/** What keeps it from being loaded may pass, as a want of memory does. */
const LOAD_AGAIN_AFTER_MS = 5_000;

const loaded = new Map<MagicRules, Promise<Libmagic | Error>>();

parentPort?.on('message', async ({ head, rules }: MagicQuestion) => {
  const libmagic = await (loaded.get(rules) ?? load(rules));
  const answer: MagicAnswer =
    libmagic instanceof Error ? { unusable: libmagic.message } : { type: libmagic.detect(head) };
  parentPort?.postMessage(answer);
});

/** A failure counts for a while: who asks meanwhile does not wait for another. */
function load(rules: MagicRules): Promise<Libmagic | Error> {
  const loading = Libmagic.load(FLAGS[rules]).catch((cause: Error) => {
    process.emitWarning(`libmagic cannot be loaded, so what files hold is not known: ${cause.message}`);
    setTimeout(() => loaded.delete(rules), LOAD_AGAIN_AFTER_MS).unref();
    return cause;
  });
  loaded.set(rules, loading);
  return loading;
}
