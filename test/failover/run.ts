/**
 * Fails PostgreSQL over under three nodes until so many promotions are made, 100 unless given; `--minutes` ends it before;
 * `--seed` repeats the choices of a run. What is written begins anew after some promotions, so that proofs stay short.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { failover } from './failover.ts';

/** Promotions on one workspace. */
const MOST_AT_ONCE = 20;
const PEOPLE = 3;
/** Beside the clients of each area for each person: 64 in all. */
const SENDERS = 10;
const MOST_WRITES = 200;
const GOAL_MS = 15_000;

const { values } = parseArgs({
  options: {
    promotions: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: randomUUID().slice(0, 8) },
  },
});
const wanted = Number(values.promotions);
const until = performance.now() + Number(values.minutes) * 60_000;
if (!(wanted > 0 && until > 0)) throw new Error('--promotions and --minutes are numbers above 0.');
let made = 0;
let longestPauseMs = 0;
for (let part = 1; made < wanted && performance.now() < until; part++) {
  const seed = `${values.seed}/${part}`;
  console.log(`seed ${seed}`);
  const outcome = await failover({
    seed,
    promotions: Math.min(MOST_AT_ONCE, wanted - made),
    withinMs: until - performance.now(),
    people: PEOPLE,
    senders: SENDERS,
    mostWrites: MOST_WRITES,
    verifiesEach: true,
    report: (line) => console.log(`  ${line}`),
  });
  made += outcome.faults.promotion ?? 0;
  longestPauseMs = Math.max(longestPauseMs, ...Object.values(outcome.pauses));
  console.log(`${made} promotions; ${JSON.stringify(outcome)}`);
}
console.log(
  `${made} promotions: every acknowledged write is there once. The longest pause of writes: ${longestPauseMs} ms, the goal: ${GOAL_MS} ms.`,
);
if (longestPauseMs > GOAL_MS) process.exitCode = 1;
