/** The first start of an installation of several nodes: they find an empty database, all at the same time. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Atrium } from '../../client/src/index.ts';
import { readConfig } from '../../src/start/config.ts';
import { atriumJson } from '../command-line.ts';
import { freshDatabase } from '../engines.ts';
import { PROGRAM, programEnvironment } from '../program.ts';
import { provideBlobs } from './nodes.ts';

const NODES = 2;

interface StartedNode {
  address: string;
  said: string;
}

it('makes one workspace, one owner key and one welcome', async (t) => {
  const processes: ChildProcess[] = [];
  // First of all, for they write to what is removed after them.
  t.after(() => Promise.all(processes.map(end)));
  const storage = await freshDatabase('postgres');
  t.after(storage.remove);
  const blobs = await provideBlobs();
  t.after(blobs.stop);
  const directories = await Promise.all(Array.from({ length: NODES }, () => temporaryDirectory(t)));
  const settings = { ...blobs.settings, ATRIUM_DATABASE_URL: storage.databaseUrl ?? '' };

  const nodes = await Promise.all(directories.map((dataDir) => startNode(processes, dataDir, settings)));

  const keys = nodes.flatMap(
    ({ said }) => /^The key of owner@localhost.*\n(atr_\w+)$/m.exec(said)?.[1] ?? [],
  );
  assert.equal(keys.length, 1, 'one node tells the key');
  const files = directories
    .map((directory) => join(directory, 'owner-key'))
    .filter((path) => existsSync(path));
  assert.deepEqual(await Promise.all(files.map((path) => readFile(path, 'utf8'))), [`${keys[0]}\n`]);
  for (const { address } of nodes) await assertWelcomed(new Atrium({ address, key: keys[0] ?? '' }));
  const config = readConfig({ ...settings, ATRIUM_DATA_DIR: directories[0] });
  assert.equal((await atriumJson({ config }, 'workspace', 'list')).length, 1);
  assert.deepEqual((await atriumJson({ config }, 'verify')).problems, []);
});

/** What is there is there once. */
async function assertWelcomed(atrium: Atrium): Promise<void> {
  const counts = [
    atrium.directory.listUsers(),
    atrium.apiKeys.listApiKeys(),
    atrium.mail.listMessages({ unread: true }),
    atrium.contacts.listContacts(),
    atrium.files.listFiles(),
  ].map(async (listing) => (await listing.all()).length);
  assert.deepEqual(await Promise.all(counts), [1, 1, 1, 1, 1]);
  assert.equal((await atrium.documents.listDocuments().all()).length, 2);
}

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-node-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

/** A server in a process of its own, once it is ready. */
async function startNode(processes: ChildProcess[], dataDir: string, settings: object): Promise<StartedNode> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...programEnvironment(),
      ...{ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
      ...{ ATRIUM_PORT: '0', ATRIUM_SMTP_PORT: '0', ATRIUM_DATA_DIR: dataDir },
      ...settings,
    },
  });
  processes.push(child);
  const node: StartedNode = { address: '', said: '' };
  child.stdout.on('data', (chunk) => (node.said += chunk));
  const isReady = () => /^Atrium is ready on (\S+)$/m.exec(node.said)?.[1];
  // However long it takes on a machine that is busy.
  while (!isReady() && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  node.address = isReady() ?? assert.fail(`it has ended: ${node.said}`);
  return node;
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  if (child.exitCode === null && child.kill('SIGKILL')) await exit;
}
