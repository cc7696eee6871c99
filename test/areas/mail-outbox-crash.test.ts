/** A server that is killed after the relay has taken a message and before that is recorded. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/storage/open.ts';
import { sendWrite } from '../api/nodes.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { startRelay, type TestRelay } from '../relay.ts';

const MESSAGES = 20;
const TAKEN_BEFORE_THE_KILL = 5;

let storage: TestDatabase;
let relay: TestRelay;
const started: ChildProcess[] = [];
before(async () => {
  storage = await freshDatabase('sqlite');
  relay = await startRelay();
});
after(async () => {
  for (const child of started) child.kill('SIGKILL');
  await relay.stop();
  await storage.remove();
});

async function serve(): Promise<{ address: string; child: ChildProcess; exit: Promise<unknown[]> }> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: 'off',
      ATRIUM_DATA_DIR: storage.dataDir,
      ATRIUM_DATABASE_URL: '',
      ATRIUM_OWNER_KEY: OWNER_KEY,
      ATRIUM_SMTP_RELAY: relay.url,
    },
  });
  started.push(child);
  const exit = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
    if (address) return { address, child, exit };
  }
  assert.fail('the server did not start');
}

/** Ends the leases that the dead process held, as time would. */
async function endLeases(): Promise<void> {
  const database = await openDatabase(storage);
  await database.write((tx) => tx.updateTable('mail_outbox').set({ next_attempt_at: 0 }).execute());
  await database.close();
}

it('the queue of a server that is killed loses nothing, and repeats at most what was under way, under the same Message-ID (MAIL-74)', {
  timeout: 600_000,
}, async () => {
  const first = await serve();
  relay.beforeReply = async () => {
    if (relay.arrived.length < TAKEN_BEFORE_THE_KILL) return;
    first.child.kill('SIGKILL');
    await first.exit;
  };
  const sent = Array.from({ length: MESSAGES }, () => ({
    path: '/v1/messages',
    body: JSON.stringify({ to: ['far@away.example'] }),
    idempotencyKey: randomUUID(),
  }));
  const answers = await Promise.allSettled(sent.map((write) => sendWrite(first.address, write)));
  await first.exit;
  relay.beforeReply = async () => undefined;
  await endLeases();
  const second = await serve();
  const messageIds: string[] = [];
  for (const [i, write] of sent.entries()) {
    const { status, text } = await sendWrite(second.address, write);
    assert.equal(status, 201, text);
    messageIds.push(JSON.parse(text).data.message_id);
    const answer = answers[i];
    if (answer?.status === 'fulfilled') assert.equal(answer.value.text, text);
  }
  assert.equal(new Set(messageIds).size, MESSAGES);
  const timesOf = () => {
    const ids = relay.arrived.map(({ raw }) => /^Message-ID: (\S+)\r$/m.exec(raw)?.[1]);
    return messageIds.map((messageId) => ids.filter((id) => id === messageId).length);
  };
  while (timesOf().includes(0)) await pause(20);
  second.child.kill('SIGTERM');
  assert.deepEqual(await second.exit, [0, null]);
  assert.ok(
    timesOf().every((times) => times <= 2),
    timesOf().join(),
  );
  const repeated = timesOf().filter((times) => times === 2).length;
  assert.ok(repeated >= 1 && repeated <= 5, `${repeated} were under way`);
  assert.equal(relay.arrived.length, MESSAGES + repeated);
});
