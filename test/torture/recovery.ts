import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OWNER_KEY } from '../harness.ts';
import type { S3 } from '../s3.ts';

/** What a server stands on, as far as it is asked whether it serves. */
export interface Footing {
  postgres: { url: string } | undefined;
  s3: S3 | undefined;
}

const LOOK_EVERY_MS = 50;
/**
 * A server has failed to recover when it has refused so often, and for so long, while all that it stands on has served without
 * a break. Either alone would measure the machine: a busy one answers seldom, and a statement that was under way when the
 * database went is given up after a minute.
 */
const MOST_REFUSALS = 100;
const AT_LEAST_MS = 150_000;
/** A request that takes longer hangs. */
const HANG_MS = 300_000;
const CONNECT_MS = 5_000;
/** What the servers stand on has failed, not they. */
const AWAY_MS = 600_000;
/** As much as a server writes on trial. */
const WRITTEN = "insert into trial select repeat('x', 1000000)";

/** Resolves when a server is ready and serves. Rejects with what it said when it does not recover. */
export async function recovered(address: string, footing: Footing): Promise<void> {
  const begun = performance.now();
  let refusals = 0;
  let since = begun;
  for (;;) {
    const refusal = await refusalOf(address);
    if (refusal === undefined) return;
    if (await serves(footing)) refusals++;
    else {
      refusals = 0;
      since = performance.now();
      assert.ok(since - begun < AWAY_MS, `what ${address} stands on does not serve`);
    }
    const ms = Math.round(performance.now() - since);
    const hasFailed = refusals > MOST_REFUSALS && ms > AT_LEAST_MS;
    assert.ok(
      !hasFailed,
      `${address} does not recover: ${refusals} refusals in ${ms} ms, at last ${refusal}`,
    );
    await pause(LOOK_EVERY_MS);
  }
}

/** What a server says that does not serve; undefined where it does. */
async function refusalOf(address: string): Promise<string | undefined> {
  for (const path of ['/readyz', '/v1/users/me']) {
    const answer = await fetch(address + path, {
      headers: { authorization: `Bearer ${OWNER_KEY}` },
      signal: AbortSignal.timeout(HANG_MS),
    });
    const text = await answer.text();
    if (answer.status !== 200) return `${path}: ${answer.status} ${text}`;
  }
  return undefined;
}

/** Whether the database can be written, asked without a server between, and the store is not away. */
async function serves({ postgres, s3 }: Footing): Promise<boolean> {
  if (s3?.fault) return false;
  return postgres === undefined || canWrite(postgres.url);
}

async function canWrite(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const statement of ['begin', 'create table trial (text text)', WRITTEN, 'rollback'])
      await client.query(statement);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
