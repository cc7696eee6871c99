import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { groupLives, killGroup } from './program.ts';

const ROOT = join(import.meta.dirname, '..');
/** Of its own files alone a server loads more. */
const FILES_OF_A_START = 300;
const READY = /^Atrium is ready on (http:\/\/127\.0\.0\.1:\d+)$/m;

/** `npm start` as a person starts it, in a process group of its own. */
interface Started {
  npm: ChildProcess;
  group: number;
  url: URL;
  dataDir: string;
  output: () => string;
  exit: Promise<unknown[]>;
}

const dataDirs: string[] = [];
after(() => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true });
});

/** Tells, when it is asked, whether a server has loaded Node's HTTP client, and the kit of the protocol of agents. */
const TELLS_LOADED = `data:text/javascript,${encodeURIComponent(
  'import { registerHooks } from "node:module";' +
    'const client = "NativeModule internal/deps/undici/undici";' +
    'let kit = false;' +
    'registerHooks({ load(url, context, next) { kit ||= url.includes("@modelcontextprotocol"); return next(url, context); } });' +
    'process.on("SIGUSR2", () => console.log("client", process.moduleLoadList.includes(client), "kit", kit));',
)}`;

describe('npm start', { timeout: 1_200_000 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends in order when ${signal} reaches npm itself (OPS-8)`, async (t) => {
      const started = await start(t);
      await assertEndsInOrder(started, async () => {
        started.npm.kill(signal);
      });
    });
  }

  // The terminal signals the whole group, and npm forwards its copy: the server sees one Ctrl-C as two signals.
  it('npm start ends in order on Ctrl-C (OPS-8, OPS-9)', async (t) => {
    const started = await start(t);
    await assertEndsInOrder(started, async () => {
      process.kill(-started.group, 'SIGINT');
      await sleep(10);
      process.kill(-started.group, 'SIGINT');
    });
  });

  it('npm start keeps what it was told over a restart (OPS-1, OPS-4)', async (t) => {
    const first = await start(t);
    const created = await createGroup(first);
    await stop(first);
    const second = await start(t, first.dataDir);
    const response = await fetch(new URL('/v1/groups', second.url), {
      headers: { authorization: `Bearer ${ownerKey(second)}` },
    });
    assert.match(created, /^HTTP\/1\.1 201 /);
    assert.match(await response.text(), /"name":"Clients"/);
    await stop(second);
  });

  it('npm run -s atrium is the command of the product (OPS-3)', async (t) => {
    const started = await start(t);
    const args = ['run', '-s', 'atrium', '--', 'user', 'list', '--json'];
    const env = { ...process.env, ATRIUM_DATA_DIR: started.dataDir, NODE_OPTIONS: '' };
    const { status, stdout } = spawnSync('npm', args, { cwd: ROOT, env, encoding: 'utf8' });
    const users: { email: string }[] = JSON.parse(stdout);
    assert.deepEqual([status, users.map(({ email }) => email)], [0, ['owner@localhost']]);
    await stop(started);
  });

  it('a server loads neither the HTTP client of Node nor the kit of agents before it needs them (MCP-39)', async (t) => {
    const started = await start(t, undefined, `--import ${TELLS_LOADED}`);
    const isTold = async (loaded: string) => {
      process.kill(-started.group, 'SIGUSR2');
      await eventually(async () => started.output().includes(`client ${loaded}\n`), 'the server has told');
    };
    await isTold('false kit false');
    const response = await fetch(new URL('/mcp', started.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ownerKey(started)}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    assert.equal(response.status, 200);
    await isTold('true kit true');
    await stop(started);
  });

  it('keeps what it has compiled for the next start while it runs, since it may be killed', async (t) => {
    const started = await start(t);
    const filesOf = (pattern: string) => globSync(join(started.dataDir, 'compiled', pattern)).length;
    await eventually(async () => filesOf('*/*') > FILES_OF_A_START, 'compiled code is kept');
    await stop(started);
  });
});

async function start(
  t: TestContext,
  dataDir = mkdtempSync(join(tmpdir(), 'atrium-start-')),
  nodeOptions = '',
): Promise<Started> {
  if (!dataDirs.includes(dataDir)) dataDirs.push(dataDir);
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: '0',
      ATRIUM_DATA_DIR: dataDir,
      NODE_OPTIONS: nodeOptions,
      // As people start it: what is compiled is kept beside the data.
      NODE_COMPILE_CACHE: undefined,
    },
  });
  const group = npm.pid ?? assert.fail('npm did not start');
  t.after(() => killGroup(group));
  let output = '';
  const exit = once(npm, 'close');
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  while (!READY.test(output) && npm.exitCode === null) await sleep(20);
  const [, address] = READY.exec(output) ?? assert.fail(`never ready:\n${output}`);
  return { npm, group, url: new URL(address ?? ''), dataDir, output: () => output, exit };
}

async function assertEndsInOrder(started: Started, signal: () => Promise<void>): Promise<void> {
  assert.equal((await fetch(new URL('/healthz', started.url))).status, 200);
  const answer = await createGroup(started, async () => {
    await signal();
    await eventually(async () => !(await accepts(started.url)), 'it takes nothing new');
  });
  assert.match(answer, /^HTTP\/1\.1 201 /, 'what was running is finished');
  assert.deepEqual(await started.exit, [0, null], started.output());
  assert.equal(groupLives(started.group), false, 'no orphan');
  assert.doesNotMatch(started.output(), /Warning/, 'nothing that worries people');
}

async function stop(started: Started): Promise<void> {
  started.npm.kill('SIGTERM');
  assert.deepEqual(await started.exit, [0, null], started.output());
}

/** Makes a group by a request whose last byte leaves only after `meanwhile`. Answers the raw response. */
async function createGroup(started: Started, meanwhile?: () => Promise<void>): Promise<string> {
  const body = JSON.stringify({ name: 'Clients', member_ids: [] });
  const head = [
    'POST /v1/groups HTTP/1.1',
    `Host: ${started.url.host}`,
    `Authorization: Bearer ${ownerKey(started)}`,
    'Idempotency-Key: one',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    'Expect: 100-continue',
  ];
  const socket = await open(started.url);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // Now the server is known to have the request.
  assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 100 /);
  const answer = text(socket);
  socket.write(body.slice(0, -1));
  await meanwhile?.();
  socket.write(body.slice(-1));
  return await answer;
}

function ownerKey({ dataDir }: Started): string {
  return readFileSync(join(dataDir, 'owner-key'), 'utf8').trim();
}

async function open(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  return socket;
}

async function accepts(url: URL): Promise<boolean> {
  try {
    (await open(url)).destroy();
    return true;
  } catch {
    return false;
  }
}
