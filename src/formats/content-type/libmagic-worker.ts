import { parentPort } from 'node:worker_threads';
import { WASMagic } from 'wasmagic';

/** The thread's reply: the media type of the content, or why libmagic cannot be loaded. */
export type LibmagicReply = { type: string } | { unusable: string };

/** A failure to load libmagic can be temporary, such as lack of memory. */
const LOAD_AGAIN_AFTER_MS = 5_000;

let loading: Promise<WASMagic | Error> | undefined;

// Load before the first request, so that loading does not count in its time limit.
await loadLibmagic();

parentPort?.on('message', async (head: Uint8Array) => {
  const libmagic = await loadLibmagic();
  const reply: LibmagicReply =
    libmagic instanceof Error ? { unusable: libmagic.message } : { type: libmagic.detect(head) };
  parentPort?.postMessage(reply);
});

/** A failure is cached for a while, so that requests do not wait for another attempt. */
function loadLibmagic(): Promise<WASMagic | Error> {
  loading ??= WASMagic.create().catch((cause: Error) => {
    process.emitWarning(`libmagic cannot be loaded, so what files hold is not known: ${cause.message}`);
    setTimeout(() => {
      loading = undefined;
    }, LOAD_AGAIN_AFTER_MS).unref();
    return cause;
  });
  return loading;
}
