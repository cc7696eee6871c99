/** The short form of `npm run failover`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { failover } from './failover.ts';

it('a standby that is promoted has every acknowledged write once, and an asynchronous one has not (OPS-64)', {
  timeout: 1_800_000,
}, async (t) => {
  const outcome = await failover({
    seed: process.env.ATRIUM_FAILOVER_SEED ?? 'short',
    promotions: 1,
    withinMs: 0,
    people: 2,
    areas: ['mail', 'sending', 'files', 'calendar', 'contacts'],
    senders: 2,
    mostWrites: 20,
    verifiesEach: false,
    report: (line) => t.diagnostic(line),
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.lostAsynchronously > 0);
});
