import assert from 'node:assert/strict';
import { makeKey, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { slowness } from '../hostile/yardstick.ts';

/** What one user may have to wait for others; and where a thread may have to be started first, which loads libraries. */
export const BOUND_MS = 1_000;
export const BOUND_WITH_START_MS = 4_000;
const ATTEMPTS = 3;

/** A user with an address and a key for what users do. */
export interface Person {
  readonly email: string;
  readonly key: string;
}

/**
 * Starts an application with so many users and one more, and stops it; what they have asked for may go on for so many
 * milliseconds, which is to be 0 only where it ends with the application.
 */
export async function withUsers(
  count: number,
  use: (app: TestApp, hostile: Person[], other: Person) => Promise<void>,
  stopWithinMs?: number,
): Promise<void> {
  const app = await startApp(ANY_ENGINE);
  try {
    const other = await makePerson(app);
    const hostile: Person[] = [];
    for (let i = 0; i < count; i++) hostile.push(await makePerson(app));
    await use(app, hostile, other);
  } finally {
    await app.stop(stopWithinMs);
  }
}

async function makePerson(app: TestApp): Promise<Person> {
  const { id, email } = await makeUser(app);
  const permissions = [
    'docs.documents.read',
    'docs.documents.write',
    'sheets.values.read',
    'sheets.values.write',
    'files.read',
    'files.write',
    'mail.messages.read',
    'mail.messages.write',
  ] as const;
  return { email, key: (await makeKey(app, permissions, { user_id: id })).key };
}

/** Begins requests that nobody waits for, a moment before what follows; they end with the application. */
export async function begin(requests: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const request of requests) void request().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 200));
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Holds that something takes less than a bound, on a machine that has a processor for each of its threads: where it has
 * not, whatever is done takes longer. The best of three counts.
 */
export async function assertQuick(measure: () => Promise<number>, boundMs = BOUND_MS): Promise<void> {
  const waits: number[] = [];
  while (waits.length < ATTEMPTS && !waits.some((wait) => wait < boundMs)) {
    waits.push((await measure()) / slowness());
  }
  const told = waits.map(Math.round).join(', ');
  assert.ok(Math.min(...waits) < boundMs, `took ${told} ms of ${boundMs}`);
}
