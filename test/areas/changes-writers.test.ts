/** Many writers on two nodes and a transaction of somebody else beside them: the feed leaves out nothing and repeats nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { openServices } from '../../src/start/composition.ts';
import { type RunningServer, startServer } from '../../src/start/server.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { provideBlobs } from '../nodes/nodes.ts';

const WRITERS = 64;
const WRITES_EACH = 4;
/** So few that a page often ends between two changes that were written at once. */
const PAGE = 7;

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of several shapes
  data: any;
  error?: unknown;
}

interface Written {
  startedAt: number;
  endedAt: number;
}

describe('the change feed of two nodes with 64 writers', () => {
  let app: TestApp;
  let blobs: Awaited<ReturnType<typeof provideBlobs>>;
  let second: RunningServer;
  let other: pg.Client;
  let addresses: [string, string];

  before(async () => {
    blobs = await provideBlobs();
    app = await startApp('postgres', blobs.settings);
    second = await startServer(app.config, await openServices(app.config), pino({ level: 'silent' }));
    addresses = [app.address, second.address];
    other = new pg.Client({ connectionString: app.config.databaseUrl, application_name: 'report' });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await second.stop();
    await app.stop();
    await blobs.stop();
  });

  const call = async (address: string, path: string, body?: object) => {
    const response = await fetch(`${address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await response.json()) as Answer;
    assert.ok(response.ok, JSON.stringify(error));
    return data;
  };

  /** Holds writing transactions open, one after the other, until it is told to end. */
  const holdOpen = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await other.query('begin');
      await other.query('select pg_current_xact_id()');
      await sleep(200);
      await other.query('commit');
    }
  };

  /** The ids of the folders that a node tells of from this cursor on, until there are so many and nothing after them. */
  const follow = async (address: string, from: string, count: number) => {
    const ids: string[] = [];
    for (let cursor = from, isEnd = false; !isEnd; ) {
      const path = `/v1/changes?cursor=${cursor}&types=folder.created&limit=${PAGE}&wait=1`;
      const page = await call(address, path);
      for (const change of page.changes) ids.push(change.ids.folder_id);
      cursor = page.cursor;
      isEnd = ids.length >= count && page.changes.length === 0;
    }
    return ids;
  };

  test('each change is read once and in the order of commits, at both nodes (CHANGE-6, CHANGE-13)', {
    timeout: 120_000,
  }, async () => {
    const { cursor } = await call(addresses[0], '/v1/changes');
    const written = new Map<string, Written>();
    const ending = new AbortController();
    const write = async (writer: number) => {
      for (let n = 0; n < WRITES_EACH; n++) {
        const startedAt = performance.now();
        const address = addresses[(writer + n) % 2] ?? assert.fail();
        const { id } = await call(address, '/v1/folders', { name: `Writer ${writer}, folder ${n}` });
        written.set(id, { startedAt, endedAt: performance.now() });
      }
    };
    const holding = holdOpen(ending.signal);
    const following = addresses.map((address) => follow(address, cursor, WRITERS * WRITES_EACH));
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    ending.abort();
    await holding;
    const [one = [], two = []] = await Promise.all(following);

    assert.equal(one.length, new Set(one).size, 'nothing is told twice');
    assert.deepEqual(one.toSorted(), [...written.keys()].sort(), 'nothing is left out');
    assert.deepEqual(two, one, 'both nodes tell the same order');
    let latestStart = 0;
    for (const id of one) {
      const { startedAt, endedAt } = written.get(id) ?? assert.fail();
      assert.ok(endedAt > latestStart, 'what was answered before another write began comes before it');
      latestStart = Math.max(latestStart, startedAt);
    }
  });
});
