/** The sources without the built console, as where nobody has run the set-up. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const READY = /^Atrium is ready on (http\S+)$/;

test('a browser is led to the reference where the console is not built (OPS-55)', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-not-built-'));
  for (const name of ['src', 'client', 'package.json'])
    await cp(join(ROOT, name), join(directory, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const server = spawn(process.execPath, ['src/main.mjs', 'serve'], {
    cwd: directory,
    env: {
      ...process.env,
      ATRIUM_DATA_DIR: join(directory, 'data'),
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: 'off',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    // Only now: a server that runs writes into it.
    await rm(directory, { recursive: true });
  });
  let address: string | undefined;
  for await (const line of createInterface(server.stdout)) {
    address = READY.exec(line)?.[1];
    if (address) break;
  }
  assert.ok(address, 'the server says that it is ready');
  for (const path of ['/', '/mail']) {
    const answer = await fetch(address + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('location'), '/docs');
  }
  assert.equal((await fetch(`${address}/console/service-worker.js`)).status, 404);
  assert.equal((await fetch(address, { headers: { accept: 'text/html' } })).status, 200);
});
