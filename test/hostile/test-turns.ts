import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HostileInput } from './hostile-input.ts';
import { type MeasuredServer, startMeasuredServer } from './hostile-world.ts';

/** No turn of the event loop takes longer, on a machine as fast as usual. */
const LONGEST_TURN_MS = 100;
/** With what a server and its threads take anyway. */
const MOST_MEMORY = 1_200 * 1024 ** 2;
/** Other tests run beside this one, and a page of memory or of code can be missing once. */
const ATTEMPTS = 4;

/**
 * Works on hostile inputs through the doors of a whole server: none stops its event loop for long, makes it fail or takes
 * much memory.
 */
export function testTurns(name: string, inputs: readonly HostileInput[]): void {
  describe(`hostile input: ${name}`, () => {
    let server: MeasuredServer;
    before(async () => {
      server = await startMeasuredServer();
    });
    after(() => server.stop());

    for (const input of inputs) {
      it(`the event loop is left to others by ${input.name}`, async (t) => {
        const turns = await turnsOf(server, input);
        const told = turns.map(Math.round).join(', ');
        t.diagnostic(`longest turn ${told} ms`);
        assert.ok(Math.min(...turns) <= LONGEST_TURN_MS, `turns of ${told} ms`);
      });
    }
  });
}

/** The longest turn of each attempt, in milliseconds; after one that was short enough there are no more. */
async function turnsOf(server: MeasuredServer, input: HostileInput): Promise<number[]> {
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
  return turns;
}
