/** The short form of `npm run torture`. */
import { describe, it } from 'node:test';
import { torture } from './torture.ts';

const WRITING_MS = 5_000;
const REPLAYS = 10;

describe('servers that are killed while everything is written', () => {
  for (const setting of ['sqlite', 'postgres', 'two nodes'] as const) {
    it(`lose nothing and do nothing twice: ${setting}`, { timeout: 1_800_000 }, async (t) => {
      const seed = process.env.ATRIUM_TORTURE_SEED ?? 'short';
      t.diagnostic(`seed ${seed}`);
      const outcome = await torture({ setting, seed, writingMs: WRITING_MS, replays: REPLAYS });
      t.diagnostic(JSON.stringify(outcome));
    });
  }
});
