/** What becomes of requests while a worker of a cluster is down: those of its workspaces are refused soon, and no others. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freshAddress, makeWorkspace } from '../areas/accounts.ts';
import { CITUS_URL, type CitusDatabase, makeCitusDatabase } from '../citus.ts';
import { type CollectedLog, collectedLog } from '../collected-log.ts';
import { runAtrium } from '../command-line.ts';
import { eventually } from '../eventually.ts';
import { type Answer, type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { type PostgresProxy, startProxy } from './postgres-proxy.ts';

/** A request of a workspace that is lost is answered within so long. */
const SOON_MS = 2_000;
/** With so many clients on a busy machine; who waits for a worker in vain does so for a minute, and keeps connections. */
const SERVED_MS = 5_000;
/** Clients of lost workspaces at once: many times the connections of a node. */
const CLIENTS = 64;

/** How a worker is down: it refuses connections, or takes them and says nothing, as one that was stopped or cut off. */
const WAYS = { 'is down': 'breakDown', 'says nothing': 'fallSilent' } as const;

describe('a cluster of which a worker', {
  skip: CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
}, () => {
  let cluster: CitusDatabase;
  let app: TestApp;
  let worker: PostgresProxy;
  let told: CollectedLog;
  /** Keys of owners, by where their workspaces are. */
  const lost: string[] = [];
  const others: string[] = [];
  before(async () => {
    let isFirst = true;
    cluster = await makeCitusDatabase(CITUS_URL ?? '', async (url) => {
      if (!isFirst) return url;
      isFirst = false;
      worker = await startProxy(url);
      return worker.url;
    });
    told = collectedLog();
    app = await startApp('postgres', { ATRIUM_DATABASE_URL: cluster.url }, told.log);
    while (lost.length < 3 || others.length < 2) {
      const { key, ownerId } = await makeWorkspace(app);
      ((await isBehind(cluster.url, worker, ownerId)) ? lost : others).push(key);
    }
  });
  after(async () => {
    await app.stop();
    await worker.close();
    await cluster.remove();
  });
  afterEach(async () => {
    worker.resume();
    await eventually(async () => {
      const answers = await Promise.all(lost.map(read));
      return answers.every(({ status }) => status === 200);
    }, 'the workspaces are served again');
  });

  const read = (key: string) => app.get('/v1/folders', { key });
  const write = (key: string, options: RequestOptions = {}) =>
    app.post('/v1/folders', { name: `${Math.random()}` }, { key, ...options });
  const upload = (key: string) =>
    app.request('POST', '/v1/files?filename=a.txt', {
      key,
      body: 'content of a file',
      headers: { 'content-type': 'text/plain' },
    });
  const consoleAsked = (path: string, body: object, headers: Record<string, string> = {}) =>
    app.request('POST', `/console/${path}`, {
      key: null,
      idempotencyKey: null,
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      body,
    });
  /** A token of the console, and the cookie that gets more of them. */
  const signedIn = async (key: string) => {
    const opened = await consoleAsked('session', { key });
    assert.ok(opened.status < 300, opened.text);
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const { json } = await consoleAsked('session/token', {}, { cookie });
    return { cookie, token: json.data.token as string };
  };
  const assertRefused = async (ask: () => Promise<Answer>) => {
    const begun = performance.now();
    const { status, json } = await ask();
    const ms = performance.now() - begun;
    assert.deepEqual([status, json?.error?.code], [503, 'unavailable']);
    assert.ok(ms < SOON_MS, `${Math.round(ms)} ms`);
  };

  for (const [says, how] of Object.entries(WAYS)) {
    it(`${says}: its workspaces are refused within 2 s, by every request, and served when it is back (OPS-90)`, async () => {
      for (const ask of [read, write, upload]) {
        worker[how]();
        await Promise.all(lost.map((key) => assertRefused(() => ask(key))));
        // It is known now.
        await assertRefused(() => ask(lost[0] ?? ''));
        worker.resume();
        await eventually(async () => (await ask(lost[0] ?? '')).status < 300, 'served again');
      }
    });

    it(`${says}: others are served while ${CLIENTS} clients ask for lost workspaces (OPS-91)`, async () => {
      for (const key of others) await read(key);
      worker[how]();
      const until = performance.now() + 6_000;
      const refused: number[] = [];
      const clients = Array.from({ length: CLIENTS }, async (_, i) => {
        for (let n = i; performance.now() < until; n++) {
          const begun = performance.now();
          const ask = [read, write, upload][n % 3] ?? read;
          const { status, text } = await ask(lost[n % lost.length] ?? '');
          assert.equal(status, 503, text);
          refused.push(performance.now() - begun);
          await sleep(100);
        }
      });
      const took: number[] = [];
      for (let n = 0; performance.now() < until; n++) {
        const key = others[n % others.length] ?? '';
        for (const ask of [read, write, upload]) {
          const begun = performance.now();
          const { status, text } = await ask(key);
          assert.ok(status < 300, text);
          took.push(performance.now() - begun);
        }
      }
      await Promise.all(clients);
      assert.ok(took.length > 0 && Math.max(...took) < SERVED_MS, `${took.length}: ${Math.max(...took)} ms`);
      assert.ok(refused.length > CLIENTS && Math.max(...refused) < SERVED_MS, `${Math.max(...refused)} ms`);
    });

    it(`${says}: what all servers have a part in is refused soon, of every workspace (OPS-91)`, async () => {
      const [key = ''] = others;
      const { token, cookie } = await signedIn(key);
      const user = () => app.post('/v1/users', { email: freshAddress(), name: 'A' }, { key });
      const apiKey = () => app.post('/v1/api-keys', { name: 'a', permissions: ['directory.read'] }, { key });
      const renew = () => consoleAsked('session/token', {}, { cookie });
      // Each finds out by itself that the worker is away.
      for (const ask of [user, apiKey, () => read(token), renew]) {
        worker[how]();
        await assertRefused(ask);
        await assertRefused(ask);
        worker.resume();
        await eventually(async () => (await ask()).status < 300, 'served again');
      }
    });

    it(`${says}: a key that nobody has is still refused as one (OPS-91)`, async () => {
      worker[how]();
      const { status, text } = await read('atr_nobody');
      assert.equal(status, 401, text);
    });

    it(`${says}: no node starts, and each says why (OPS-91)`, async () => {
      worker[how]();
      const begun = performance.now();
      const ports = { ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0' };
      const { code, stderr } = await runAtrium(app, ['serve'], ports);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /server of the cluster|server that has the workspace/);
      assert.doesNotMatch(stderr, /\n\s+at /);
      assert.ok(performance.now() - begun < 30_000);
    });

    it(`${says}: the node is ready and says so (OPS-92)`, async () => {
      worker[how]();
      await assertRefused(() => write(lost[0] ?? ''));
      const ready = await app.get('/readyz');
      assert.deepEqual([ready.status, ready.text], [200, 'ready\n']);
    });

    it(`${says}: the doctor names it (OPS-89)`, async () => {
      const found = async () => {
        const ports = { ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0' };
        const { code, stdout } = await runAtrium(app, ['doctor', '--json'], ports);
        const { findings } = JSON.parse(stdout) as {
          findings: { check: string; state: string; message: string }[];
        };
        const { state, message } = findings.find(({ check }) => check === 'cluster') ?? {};
        return { code, state, message: message ?? '' };
      };
      const well = await found();
      assert.deepEqual([well.code, well.state], [0, 'ok'], well.message);
      assert.match(well.message, /^Citus \d.* with 2 workers\. All answer\.$/);
      worker[how]();
      const { port } = new URL(worker.url);
      const ill = await found();
      assert.deepEqual([ill.code, ill.state], [1, 'fail']);
      assert.match(ill.message, new RegExp(`does not reach 127\\.0\\.0\\.1:${port}\\. Workspaces there`));
    });

    it(`${says}: work in the background fails without haste, and goes on afterwards (OPS-91)`, async () => {
      worker[how]();
      const before = failures(told);
      await sleep(5_000);
      assert.ok(failures(told) - before < 30, told.text());
      const begun = performance.now();
      assert.equal((await read(others[0] ?? '')).status, 200);
      assert.ok(performance.now() - begun < SOON_MS);
      worker.resume();
      await eventually(async () => (await write(lost[0] ?? '')).status === 201, 'written again');
    });
  }

  it('fails while a write is under way: its outcome is told by the repetition (OPS-90)', async () => {
    const [key = ''] = lost;
    const names: string[] = [];
    for (let n = 0; n < 6; n++) {
      const idempotencyKey = `under-way-${n}-${Math.random()}`;
      const name = `under way ${n}`;
      names.push(name);
      const put = () => app.post('/v1/folders', { name }, { key, idempotencyKey });
      const first = put();
      await sleep(n * 3);
      worker.fallSilent();
      const { status } = await first;
      assert.ok([201, 503].includes(status), (await first).text);
      worker.resume();
      await eventually(async () => (await put()).status === 201, 'the repetition is answered');
    }
    const listed = await app.get('/v1/folders', { key });
    assert.equal(listed.status, 200, listed.text);
    const folders = listed.json.data as { name: string }[];
    const made = folders.map(({ name }) => name).filter((name) => name.startsWith('under way'));
    assert.deepEqual(made.sort(), names);
  });
});

/** How often work in the background has failed. */
function failures({ text }: CollectedLog): number {
  return text().match(/housekeeping failed|could not be (?:indexed|delivered)|attempt to send/g)?.length ?? 0;
}

/** Whether the workspace of a user is on the worker behind a proxy. */
async function isBehind(url: string, { url: place }: PostgresProxy, userId: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ port: number }>(
      `select n.nodeport as port from users u
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('users', u.workspace_id)
      join pg_dist_node n on n.groupid = p.groupid where u.id = $1`,
      [userId],
    );
    return rows[0]?.port === Number(new URL(place).port);
  } finally {
    await client.end();
  }
}
