/** The server is killed while mail comes in: what it said yes to is there, and nothing is there twice. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, it } from 'node:test';
import { rfc822 } from '../areas/mail-world.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { PROGRAM } from '../program.ts';
import { greeted } from './raw-smtp.ts';

const ROUNDS = 5;
const CLIENTS = 8;
/** Messages that are acknowledged before a server is killed. */
const ENOUGH = 40;
const PEOPLE = ['one@example.org', 'two@example.org', 'three@example.org'];
/** Over what the database keeps itself: it goes to the blob store. */
const LARGE = 'x'.repeat(150_000);

let storage: TestDatabase;
const started: ChildProcess[] = [];
before(async () => {
  storage = await freshDatabase('sqlite');
});
after(async () => {
  for (const child of started) child.kill('SIGKILL');
  await storage.remove();
});

interface Serving {
  process: ChildProcess;
  exit: Promise<unknown[]>;
  address: string;
  smtpPort: number;
}

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
  let smtpPort = 0;
  for await (const line of createInterface(child.stdout)) {
    smtpPort ||= Number(/^Mail comes in by SMTP on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1] ?? 0);
    const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
    if (address) return { process: child, exit, address, smtpPort };
  }
  assert.fail('the server did not start');
}

async function makePeople(address: string): Promise<void> {
  for (const email of PEOPLE) {
    const response = await fetch(`${address}/v1/users`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': email,
      },
      body: JSON.stringify({ email, name: 'Someone' }),
    });
    assert.equal(response.status, 201, await response.text());
  }
}

/** What was sent, and what of it was said yes to, by Message-ID. */
interface Sent {
  begun: Set<string>;
  acknowledged: Set<string>;
}

/** Sends from several connections until the server is killed, which is some time after enough is acknowledged. */
async function sendUntilKilled(
  { smtpPort, process: server, exit }: Serving,
  round: number,
  sent: Sent,
): Promise<void> {
  const enough = sent.acknowledged.size + ENOUGH;
  const client = async (number: number) => {
    const connection = await greeted(smtpPort);
    for (let i = 0; ; i++) {
      const messageId = `<${round}-${number}-${i}@elsewhere.example>`;
      sent.begun.add(messageId);
      const body = i % 10 === 9 ? LARGE : 'Hello';
      const { code } = await connection.transact(PEOPLE, rfc822({ messageId, body }));
      assert.equal(code, 250);
      sent.acknowledged.add(messageId);
      if (sent.acknowledged.size === enough) setTimeout(() => server.kill('SIGKILL'), Math.random() * 50);
    }
  };
  await Promise.allSettled(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  await exit;
}

/** The Message-IDs that each mailbox holds, with repeats, and whether the bytes of each message are there. */
async function received({ services }: TestApp): Promise<Map<string, string[]>> {
  const rows = await services.database.read((tx) =>
    tx
      .selectFrom('messages as m')
      .innerJoin('message_contents as c', 'c.number', 'm.number')
      .select(['m.user_id', 'm.summary', 'm.id', 'c.blob_key', 'c.size'])
      .execute(),
  );
  for (const { blob_key, size } of rows) {
    if (blob_key === null) continue;
    let bytes = 0;
    for await (const chunk of await services.blobs.get(blob_key)) bytes += chunk.length;
    assert.equal(bytes, size, 'the bytes of a message are whole');
  }
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map(
    [...byUser].map(([user, messages]) => [
      user,
      messages.map(({ summary }) => JSON.parse(`{${summary}}`).message_id as string).sort(),
    ]),
  );
}

it('after kill -9 every acknowledged message is in every mailbox, once (SMTP-3, SMTP-6)', {
  timeout: 1_200_000,
}, async (t) => {
  const sent: Sent = { begun: new Set(), acknowledged: new Set() };
  for (let round = 0; round < ROUNDS; round++) {
    const serving = await serve();
    if (round === 0) await makePeople(serving.address);
    await sendUntilKilled(serving, round, sent);
  }
  assert.ok(sent.acknowledged.size >= ROUNDS * ENOUGH);
  assert.ok(sent.begun.size > sent.acknowledged.size, 'killed in the middle of messages');
  const app = await startApp('sqlite', { ATRIUM_DATA_DIR: storage.dataDir });
  t.after(() => app.stop());
  const mailboxes = [...(await received(app)).values()];
  assert.equal(mailboxes.length, PEOPLE.length);
  for (const ids of mailboxes) {
    assert.deepEqual(ids, mailboxes[0], 'all of them have a message, or none');
    assert.equal(new Set(ids).size, ids.length, 'nothing twice');
    assert.deepEqual([...sent.acknowledged.difference(new Set(ids))], [], 'nothing acknowledged is lost');
    assert.deepEqual([...new Set(ids).difference(sent.begun)], []);
  }
});
