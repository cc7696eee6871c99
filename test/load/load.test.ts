/** The short form of `npm run bench -- mixed-load`, on a server that waits for nobody long. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gather, MANNERS, UNSEEING } from '../../bench/mixed-load/crowd.ts';
import { mixedLoad, type Outcome, type Served } from '../../bench/mixed-load/run.ts';
import { OWNER_KEY } from '../harness.ts';

const LOAD = { seconds: 6, connections: 64, crowd: 200 };
/** What the slow ones leave unread together would be some gigabytes, were it held for them. */
const MOST_MEGABYTES = 900;
const PATIENCE_MS = 120_000;

describe('64 busy connections beside 200 slow or idle ones', { timeout: 600_000 }, () => {
  let directory: string;
  let child: ChildProcess;
  let served: Served;
  let outcome: Outcome;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atrium-load-'));
    child = fork(join(import.meta.dirname, 'served.child.ts'), [directory]);
    const [url] = await once(child, 'message');
    served = { url, key: OWNER_KEY, pid: child.pid ?? 0 };
    outcome = await mixedLoad(served, LOAD);
  });
  after(async () => {
    outcome?.crowd.disperse();
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it('are answered as they should be', (t) => {
    const { requests, errors, firstError, p50, p99 } = outcome.result;
    t.diagnostic(`${requests} requests, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms`);
    assert.ok(requests > 0);
    assert.equal(errors, 0, firstError);
  });

  it('take no memory for what is not read', (t) => {
    t.diagnostic(`${outcome.resident.map(Math.round).join(', ')} MB`);
    assert.ok(Math.max(...outcome.resident) < MOST_MEGABYTES, `${outcome.resident} MB`);
  });

  for (const manner of MANNERS.filter((one) => !UNSEEING.includes(one)))
    it(`are rid of who ${manner}`, () => until(() => outcome.crowd.ended[manner] > 0));

  it('are rid of who does not read', async () => {
    outcome.crowd.disperse();
    await until(async () => (await openConnections()) <= 1);
    const crowd = gather(served, outcome.world, LOAD.crowd, UNSEEING);
    await until(async () => (await openConnections()) > UNSEEING.length);
    await until(async () => (await openConnections()) <= 1);
    crowd.disperse();
  });

  /** One of them is that on which this is asked. */
  async function openConnections(): Promise<number> {
    const figures = await (await fetch(`${served.url}/metrics`)).text();
    return Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(figures)?.[1]);
  }
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, 'never');
    await pause(50);
  }
}
