import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Atrium } from '../../client/src/atrium.ts';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { OWNER_KEY, startApp } from '../harness.ts';
import { PROGRAM, programEnvironment } from '../program.ts';

const MESSAGE = new TextEncoder().encode(
  'From: Ada <ada@example.org>\r\nSubject: Hello\r\n\r\nFirst light.\r\n',
);

async function starredMessage({ mail }: Atrium): Promise<string> {
  const [inbox] = await mail.listMailFolders();
  assert.ok(inbox);
  const { id } = await mail.appendMessage(inbox.id, MESSAGE);
  await mail.changeMessageFlags(inbox.id, { message_ids: [id], op: 'add', flags: ['starred'] });
  return id;
}

test('the client follows changes over a crash of the server, and from the cursor of one it loses none (CHANGE-6)', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-follow-'));
  let server: ServedProcess | undefined;
  try {
    server = await serveProcess({ ATRIUM_DATA_DIR: dataDir, ATRIUM_SMTP_PORT: 'off' });
    const { address } = server;
    const atrium = new Atrium({ address, key: OWNER_KEY });
    const changes = atrium.changes.follow(undefined, { types: ['message.changed'] });
    const next = async () => (await changes.next()).value;
    // The generator asks for the cursor of now when it is first asked.
    const first = next();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const one = await starredMessage(atrium);
    const change = await first;
    assert.deepEqual(change.ids.message_ids, [one]);
    const second = next();
    await server.kill();
    server = await serveProcess({
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_SMTP_PORT: 'off',
      ATRIUM_PORT: new URL(address).port,
    });
    const two = await starredMessage(atrium);
    assert.deepEqual((await second).ids.message_ids, [two]);
    const { value: again } = await atrium.changes
      .follow(change.cursor, { types: ['message.changed'] })
      .next();
    assert.deepEqual(again.ids.message_ids, [two]);
  } finally {
    await server?.kill();
    await rm(dataDir, { recursive: true });
  }
});

test('the client ends to follow when it is aborted', async () => {
  const app = await startApp('sqlite');
  try {
    const end = new AbortController();
    const { changes } = new Atrium({ address: app.address, key: OWNER_KEY });
    const next = changes.follow(undefined, { signal: end.signal }).next();
    end.abort(new Error('enough'));
    await assert.rejects(next, { message: 'enough' });
  } finally {
    await app.stop();
  }
});

test('atrium watch prints a line for each change, or JSON', async () => {
  const app = await startApp('sqlite');
  try {
    const atrium = new Atrium({ address: app.address, key: OWNER_KEY });
    const { cursor } = await atrium.changes.readChanges();
    const id = await starredMessage(atrium);
    const firstLine = async (...options: string[]) => {
      const args = [
        'watch',
        '--types',
        'message.changed',
        '--cursor',
        cursor,
        '--url',
        app.address,
        ...options,
      ];
      const child = spawn(process.execPath, [PROGRAM, ...args, '--key', OWNER_KEY], {
        env: programEnvironment(),
      });
      for await (const line of createInterface(child.stdout)) {
        child.kill();
        return line;
      }
      throw new Error('it printed nothing');
    };
    assert.match(
      await firstLine(),
      new RegExp(`^[\\d-]+T\\S+Z message\\.changed folder_id=fld_\\w+ message_ids=${id}$`),
    );
    assert.deepEqual(JSON.parse(await firstLine('--json')).ids.message_ids, [id]);
  } finally {
    await app.stop();
  }
});
