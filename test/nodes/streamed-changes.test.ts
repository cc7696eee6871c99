/** Server-sent events through a proxy that holds answers back unless it is told not to. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { changeIn, openEventStream } from '../areas/event-stream.ts';
import { serveProcess } from '../areas/served-process.ts';
import { migratedDatabase } from '../engines.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { startS3 } from '../s3.ts';
import { ANSWERED_BY, hasNginx, startNginx } from './nginx.ts';

const WITHIN_MS = 1_000;
const TYPES = 'folder.created';

describe('the event stream behind nginx', { skip: !hasNginx() && 'nginx is not installed' }, () => {
  test('an event arrives within a second through a proxy that buffers (CHANGE-10)', {
    timeout: 60_000,
  }, async (t) => {
    const app = await startApp('sqlite');
    t.after(() => app.stop());
    const { address } = await startedNginx(t, [app.address]);
    const stream = await openEventStream(address, { types: TYPES });
    const event = stream.next();
    const folder = await makeFolder(address);
    const answered = performance.now();
    assert.equal(changeIn(await event).ids.folder_id, folder);
    assert.ok(performance.now() - answered < WITHIN_MS, 'it was held back');
    await stream.close();
  });

  test('a stream goes on at the other node with Last-Event-ID when its node is killed (CHANGE-6, CHANGE-10)', {
    timeout: 120_000,
  }, async (t) => {
    const nodes = await startNodes(t);
    const { address } = await startedNginx(
      t,
      nodes.map((node) => node.address),
    );
    const { cursor } = await ask(address, 'GET', '/v1/changes');
    const stream = await openEventStream(address, { cursor, types: TYPES });
    const first = await makeFolder(address);
    const { id: lastEventId, ...event } = await stream.next();
    assert.equal(changeIn(event).ids.folder_id, first);

    const holder = stream.headers.get(ANSWERED_BY);
    const killed = nodes.find((node) => new URL(node.address).host === holder) ?? assert.fail();
    await killed.kill();
    await stream.isOver().catch(() => undefined);
    const later = [await makeFolder(address), await makeFolder(address)];

    const resumed = await openEventStream(address, { lastEventId, types: TYPES });
    assert.notEqual(resumed.headers.get(ANSWERED_BY), holder);
    for (const folder of later) assert.equal(changeIn(await resumed.next()).ids.folder_id, folder);
    await resumed.close();
  });
});

async function startedNginx(t: TestContext, targets: readonly string[]): Promise<{ address: string }> {
  const nginx = await startNginx(targets, { isPlain: true });
  t.after(() => nginx.stop());
  return nginx;
}

/** Two processes on one database and one store. */
async function startNodes(t: TestContext) {
  const storage = await migratedDatabase('postgres');
  t.after(storage.remove);
  const s3 = await startS3();
  t.after(s3.stop);
  const settings = {
    ATRIUM_DATABASE_URL: storage.databaseUrl,
    ATRIUM_DATA_DIR: storage.dataDir,
    ATRIUM_BLOBS: s3.blobs,
    ...s3.env,
  };
  const nodes = [await serveProcess(settings), await serveProcess(settings)];
  t.after(() => Promise.all(nodes.map((node) => node.kill())));
  return nodes;
}

async function makeFolder(address: string): Promise<string> {
  return (await ask(address, 'POST', '/v1/folders', { name: randomUUID() })).id;
}

async function ask(address: string, method: string, path: string, body?: object) {
  const response = await fetch(address + path, {
    method,
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data, error } = (await response.json()) as { data: Record<string, string>; error?: unknown };
  assert.ok(response.ok, JSON.stringify(error));
  return data as { id: string; cursor: string };
}
