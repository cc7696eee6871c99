/**
 * Works on every hostile input through the doors of a whole server: none stops its event loop for long, makes it fail or
 * takes much memory.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { HostileInput } from './hostile/hostile-input.ts';
import { type MeasuredServer, startMeasuredServer } from './hostile/hostile-world.ts';

/** No turn of the event loop takes longer, on a machine as fast as usual. */
const LONGEST_TURN_MS = 100;
/** With what a server and its threads take anyway. */
const MOST_MEMORY = 1_200 * 1024 ** 2;
/** Other tests run beside this one, and a page of memory or of code can be missing once. */
const ATTEMPTS = 4;

const COLLECTION = join(import.meta.dirname, 'hostile');

for (const path of globSync('*.ts', { cwd: COLLECTION }).sort()) {
  const { hostileInputs } = (await import(join(COLLECTION, path))) as {
    hostileInputs?: readonly HostileInput[];
  };
  if (!hostileInputs) continue;
  describe(`hostile input: ${basename(path, '.ts')}`, () => {
    let server: MeasuredServer;
    before(async () => {
      server = await startMeasuredServer();
    });
    after(() => server.stop());

    for (const input of hostileInputs) {
      it(`the event loop is left to others by ${input.name}`, async (t) => {
        const turns: number[] = [];
        // To tell it takes longer than most inputs: only those that seem to take too long are judged by it.
        let before = 1;
        while (turns.length < ATTEMPTS && !turns.some((turn) => turn <= LONGEST_TURN_MS)) {
          await server.longestTurn();
          await input.send(server.doors);
          const { clockMs, processorMs, memory } = await server.longestTurn();
          assert.deepEqual(server.failures(), []);
          assert.ok(memory < MOST_MEMORY, `took ${Math.round(memory / 1024 ** 2)} MiB`);
          // A busy machine takes the processor away in the middle of a turn.
          const turn = Math.min(clockMs, processorMs);
          const after = turn <= LONGEST_TURN_MS ? 1 : await server.slowness();
          turns.push(turn / Math.min(before, after));
          before = after;
        }
        const told = turns.map(Math.round).join(', ');
        t.diagnostic(`longest turn ${told} ms`);
        assert.ok(Math.min(...turns) <= LONGEST_TURN_MS, `turns of ${told} ms`);
      });
    }
  });
}
