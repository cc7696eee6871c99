/** The server or its database goes away in the middle of a write; whoever repeats it finds it done exactly once. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, it } from 'node:test';
import { folderOf, rfc822 } from '../areas/mail-world.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { startProxy } from '../storage/postgres-proxy.ts';
import { sendWrite, startNode, type Write } from './nodes.ts';

/** Over what the database keeps itself: it goes to the blob store. */
const LARGE = 'x'.repeat(300_000);

const CLIENTS = 16;
const ENOUGH = 300;
/** Messages that one write changes. */
const BATCH = 50;

/** What is looked at of folders and messages. */
interface MailSeen {
  id: string;
  role: string;
  labels: string[];
}

interface Serving {
  process: ChildProcess;
  exit: Promise<unknown[]>;
  address: string;
}

let storage: TestDatabase;
const started: ChildProcess[] = [];
before(async () => {
  storage = await freshDatabase('sqlite');
});
after(async () => {
  for (const child of started) child.kill('SIGKILL');
  await storage.remove();
});

async function serve(): Promise<Serving> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: '0',
      ATRIUM_DATA_DIR: storage.dataDir,
      ATRIUM_DATABASE_URL: '',
      ATRIUM_OWNER_KEY: OWNER_KEY,
    },
  });
  started.push(child);
  const exit = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
    if (address) return { process: child, exit, address };
  }
  assert.fail('the server did not start');
}

/** Writes from several clients until the server is killed, which is once enough is acknowledged. */
async function writeUntilKilled(
  serving: Serving,
  newWrite: (name: string) => Write,
): Promise<{ sent: Write[]; acknowledged: Map<Write, string> }> {
  const sent: Write[] = [];
  const acknowledged = new Map<Write, string>();
  const client = async (number: number) => {
    for (let i = 0; acknowledged.size < ENOUGH; i++) {
      const write = newWrite(`${number}-${i}`);
      sent.push(write);
      const { status, text } = await sendWrite(serving.address, write);
      assert.ok(status < 300, text);
      acknowledged.set(write, text);
    }
    serving.process.kill('SIGKILL');
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  await serving.exit;
  return { sent, acknowledged };
}

function newGroup(name: string): Write {
  return {
    path: '/v1/groups',
    body: JSON.stringify({ name, member_ids: [] }),
    idempotencyKey: `key-${name}`,
  };
}

/** The label that a write sets. */
function marked({ body }: Write): string {
  return JSON.parse(body).labels[0];
}

async function namesOfGroups(address: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const response = await fetch(`${address}/v1/groups?limit=100${cursor && `&cursor=${cursor}`}`, {
      headers: { authorization: `Bearer ${OWNER_KEY}` },
    });
    const { data, pagination } = (await response.json()) as {
      data: { name: string }[];
      pagination: { has_more: boolean; next_cursor: string };
    };
    names.push(...data.map(({ name }) => name));
    if (!pagination.has_more) return names;
    cursor = pagination.next_cursor;
  }
}

/** Sends every write again: those that were acknowledged are answered as before. */
async function assertRepeated(
  address: string,
  sent: readonly Write[],
  acknowledged: ReadonlyMap<Write, string>,
): Promise<void> {
  for (const write of sent) {
    const { status, text, replayed } = await sendWrite(address, write);
    assert.ok(status < 300, text);
    const first = acknowledged.get(write);
    if (first === undefined) continue;
    assert.equal(text, first);
    assert.equal(replayed, true, 'an acknowledged write was lost');
  }
}

it('after kill -9 every acknowledged write is answered again, and each is there once (API-127)', {
  timeout: 600_000,
}, async () => {
  const { sent, acknowledged } = await writeUntilKilled(await serve(), newGroup);
  assert.ok(acknowledged.size >= ENOUGH);
  assert.ok(sent.length > acknowledged.size, 'killed in the middle of writes');
  const { address, process: second, exit } = await serve();
  await assertRepeated(address, sent, acknowledged);
  const names = sent.map(({ body }) => JSON.parse(body).name);
  assert.deepEqual((await namesOfGroups(address)).sort(), names.sort());
  second.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

it('after kill -9 a batch of messages has changed whole, and what was acknowledged is not done again (API-127)', {
  timeout: 600_000,
}, async () => {
  const first = await serve();
  const get = async (address: string, path: string) => {
    const response = await fetch(address + path, { headers: { authorization: `Bearer ${OWNER_KEY}` } });
    return ((await response.json()) as { data: MailSeen[] }).data;
  };
  const inbox = (await get(first.address, '/v1/folders')).find(({ role }) => role === 'inbox')?.id ?? '';
  const path = `/v1/folders/${inbox}/messages`;
  const ids: string[] = [];
  for (let i = 0; i < BATCH; i++) {
    const appended = { path, body: rfc822(), idempotencyKey: `mail-${i}`, contentType: 'message/rfc822' };
    ids.push(JSON.parse((await sendWrite(first.address, appended)).text).data.id);
  }
  const marking = (name: string): Write => ({
    path: `${path}/flags`,
    body: JSON.stringify({ message_ids: ids, op: 'set', flags: [], labels: [name] }),
    idempotencyKey: `mark-${name}`,
  });
  const { sent, acknowledged } = await writeUntilKilled(first, marking);
  const { address, process: second, exit } = await serve();
  const left = await get(address, `/v1/messages?folder_id=${inbox}&limit=${BATCH}`);
  const [label = ''] = new Set(left.flatMap(({ labels }) => labels));
  assert.ok(left.every(({ labels }) => labels.length === 1 && labels[0] === label));
  assert.equal((await get(address, `/v1/messages?label=${label}&limit=${BATCH}`)).length, BATCH);
  // Repeated, only what was not acknowledged may happen now.
  await assertRepeated(address, sent, acknowledged);
  const [last = ''] = (
    await get(address, `/v1/messages/${ids[0]}`).then((data) => data as unknown as MailSeen)
  ).labels;
  const unacknowledged = sent.filter((write) => !acknowledged.has(write)).map(marked);
  assert.ok([label, ...unacknowledged].includes(last));
  second.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

it('a commit whose end nobody knows leaves the message that was kept its bytes', async (t) => {
  const app = await startApp('postgres');
  const proxy = await startProxy(app.config.databaseUrl ?? '');
  const node = await startNode(app.config, { databaseUrl: proxy.url });
  t.after(async () => {
    await node.stop();
    await proxy.close();
    await app.stop();
  });
  const inbox = await folderOf(app, 'inbox');
  const write = {
    path: `/v1/folders/${inbox}/messages`,
    body: rfc822({ body: LARGE }),
    idempotencyKey: randomUUID(),
    contentType: 'message/rfc822',
  };
  let isKept = false;
  proxy.cutsAfter = (sent) => {
    isKept ||= sent.includes('insert into "idempotency_records"');
    return isKept && sent.includes('commit');
  };
  const unknown = await sendWrite(node.address, write);
  assert.equal(unknown.status, 503, unknown.text);
  proxy.cutsAfter = () => false;
  const repeat = await sendWrite(node.address, write);
  assert.deepEqual([repeat.status, repeat.replayed], [201, true]);
  const { id } = JSON.parse(repeat.text).data;
  assert.equal((await app.get(`/v1/messages/${id}/raw`)).text, write.body);
});
