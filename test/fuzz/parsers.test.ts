/** Everything that reads what others have written, fed with real files that were damaged. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { PARSERS } from './parsers/parsers.ts';
import type { FuzzTask } from './parsers/thread.child.ts';

/** Longer with ATRIUM_FUZZ_SECONDS; other inputs with another ATRIUM_FUZZ_SEED. */
const SECONDS = Number(process.env.ATRIUM_FUZZ_SECONDS ?? 2);
const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 1);
/** What takes so long for some kilobytes hangs, on any machine. */
const HANG_MS = 60_000;
const HEAP_MIB = 512;

describe(`damaged input (seed ${SEED})`, () => {
  for (const parser of Object.keys(PARSERS)) {
    it(`of the parser of ${parser} is read or refused`, async (t) => {
      const { inputs, refused } = await fuzz({ parser, seed: SEED, seconds: SECONDS });
      t.diagnostic(`${inputs} inputs, ${refused} refused`);
      assert.ok(inputs > 0);
    });
  }
});

/** Rejects where an input throws what it must not, takes too much memory, or too long; the input is kept as a file. */
async function fuzz(task: FuzzTask): Promise<{ inputs: number; refused: number }> {
  const thread = new Worker(new URL('./parsers/thread.child.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  const outcome = Promise.withResolvers<{ inputs: number; refused: number }>();
  let input: Uint8Array = Buffer.alloc(0);
  // From the first input on: how long a thread takes to load says nothing of the parser.
  let hang: NodeJS.Timeout | undefined;
  thread.on('message', (message) => {
    hang ??= setTimeout(() => outcome.reject(new Error('It hangs')), HANG_MS);
    hang.refresh();
    if ('input' in message) ({ input } = message);
    else outcome.resolve(message);
  });
  thread.on('error', outcome.reject);
  try {
    return await outcome.promise;
  } catch (cause) {
    const path = join(tmpdir(), `atrium-fuzz-${task.parser.replace(/\W/g, '-')}`);
    writeFileSync(path, input);
    throw new Error(`The parser of ${task.parser} fails on the input in ${path}`, { cause });
  } finally {
    clearTimeout(hang);
    await thread.terminate();
  }
}
