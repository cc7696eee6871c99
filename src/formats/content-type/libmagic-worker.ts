import { parentPort } from 'node:worker_threads';
import { WASMagic } from 'wasmagic';

/** What the thread answers to the first bytes of some content: their media type, or why libmagic cannot be loaded. */
export type LibmagicAnswer = { type: string } | { unusable: string };

/** What keeps libmagic from being loaded may pass, as a want of memory does. */
const LOAD_AGAIN_AFTER_MS = 5_000;

let loading: Promise<WASMagic | Error> | undefined;

// Before any question is taken, so that this does not count as the time of who asks first.
await loaded();

parentPort?.on('message', async (head: Uint8Array) => {
  const libmagic = await loaded();
  const answer: LibmagicAnswer =
    libmagic instanceof Error ? { unusable: libmagic.message } : { type: libmagic.detect(head) };
  parentPort?.postMessage(answer);
});

/** A failure counts for a while: who asks meanwhile does not wait for another. */
function loaded(): Promise<WASMagic | Error> {
  loading ??= WASMagic.create().catch((cause: Error) => {
    process.emitWarning(`libmagic cannot be loaded, so what files hold is not known: ${cause.message}`);
    setTimeout(() => {
      loading = undefined;
    }, LOAD_AGAIN_AFTER_MS).unref();
    return cause;
  });
  return loading;
}
