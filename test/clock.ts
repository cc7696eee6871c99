import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../src/storage/database.ts';

/** What the clocks of this process are put by, in milliseconds; one mock of each, for mocks of mocks are not undone. */
const shift = { now: 0, measured: 0 };
const shifted = new WeakSet<TestContext>();

/** Lets so many milliseconds pass for this process, the servers in it included, until the test ends. */
export function setClockAhead(t: TestContext, ms: number): void {
  shiftClocks(t);
  shift.now += ms;
  shift.measured += ms;
}

/** Puts the clock of this process by so many milliseconds, back when negative, until the test ends; no time passes. */
export function putClock(t: TestContext, ms: number): void {
  shiftClocks(t);
  shift.now += ms;
}

/** Stops the clock that measures how long work takes: nothing takes any time until the test ends. */
export function stopMeasuring(t: TestContext): void {
  const at = performance.now();
  t.mock.method(performance, 'now', () => at);
}

/** The times that nodes compare with the clock that they share. */
const SHARED_TIMES = {
  idempotency_records: ['expires_at'],
  mail_outbox: ['next_attempt_at', 'queued_at'],
  pending_blobs: ['created_at'],
  session_tokens: ['expires_at'],
  sign_in_codes: ['expires_at'],
  tickets: ['expires_at'],
  upload_sessions: ['expires_at', 'sweep_at'],
  webhooks: ['leased_until', 'next_attempt_at', 'failing_since', 'head_at'],
} as const;

/** Lets so many milliseconds pass for all who share a database, whose clock is not ours to put: what it holds gets older. */
export async function letTimePass({ database }: { database: Database }, ms: number): Promise<void> {
  await database.write(async (tx) => {
    for (const [table, columns] of Object.entries(SHARED_TIMES)) {
      const older = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${Math.round(ms)}`);
      await sql`update ${sql.table(table)} set ${sql.join(older)}`.execute(tx);
    }
  });
}

function shiftClocks(t: TestContext): void {
  if (shifted.has(t)) return;
  shifted.add(t);
  const [now, measured] = [Date.now, performance.now.bind(performance)];
  t.mock.method(Date, 'now', () => now() + shift.now);
  t.mock.method(performance, 'now', () => measured() + shift.measured);
  t.after(() => {
    shift.now = 0;
    shift.measured = 0;
  });
}
