/**
 * 1,000 streams of the change feed, 20 for each of 50 keys: the memory that they take while they wait, and after a change
 * has gone to all of them, beside the server without them; and how long that change is on its way. To reach: 30 MB.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Memory } from './changes/memory-probe.ts';
import { OWNER_KEY, type PreloadedServer, startPreloaded } from './mail/servers.ts';
import type { Figure } from './report.ts';

const KEYS = 50;
const READERS_OF_A_KEY = 20;
const PROBE = join(import.meta.dirname, 'changes/memory-probe.ts');
/** Longer than the pauses between comments, so that each reader has been at work. */
const WAITING_MS = 6_000;
/** Streams that are opened and closed first: code that is compiled, and caches that are filled, are not of the readers. */
const WARM_UP = 200;

export async function bench(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-readers-'));
  const server = await startPreloaded(dataDir, PROBE);
  try {
    return await measure(server);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
}

async function measure(server: PreloadedServer): Promise<Figure[]> {
  const memory = async () => (await server.ask({})) as Memory;
  const keys: string[] = [];
  for (let i = 0; i < KEYS; i++) keys.push(await makeKey(server));
  await change(server);
  close(await openStreams(server, keys, WARM_UP));
  await pause(WAITING_MS);
  const before = await memory();

  const streams = await openStreams(server, keys, KEYS * READERS_OF_A_KEY);
  await pause(WAITING_MS);
  const waiting = await memory();
  const hearing = Promise.all(streams.map(hasEvent));
  const sent = performance.now();
  await change(server);
  await hearing;
  const took = performance.now() - sent;
  const told = await memory();
  close(streams);
  return [
    { name: 'memory of 1,000 readers, in use', value: waiting.used - before.used, unit: 'MB' },
    { name: 'memory of 1,000 readers, resident', value: waiting.resident - before.resident, unit: 'MB' },
    { name: 'memory of 1,000 readers, after a change, in use', value: told.used - before.used, unit: 'MB' },
    { name: 'a change to 1,000 readers', value: took, unit: 'ms' },
  ];
}

async function makeKey(server: PreloadedServer): Promise<string> {
  const made = await post(server, '/v1/api-keys', { name: 'reader', permissions: ['mail.messages.read'] });
  return made.key ?? '';
}

function change(server: PreloadedServer): Promise<unknown> {
  return post(server, '/v1/folders', { name: randomUUID() });
}

async function post({ url }: PreloadedServer, path: string, body: object): Promise<{ key?: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { data: { key?: string } }).data;
}

/** Bare sockets: what the client holds is none of the question. Each has had the head of its answer. */
function openStreams({ url }: PreloadedServer, keys: readonly string[], count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const open = async (i: number) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const lines = [
      'GET /v1/changes HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${keys[i % keys.length]}`,
      'accept: text/event-stream',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [head] = await once(socket, 'data');
    if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head));
    socket.resume();
    return socket;
  };
  return Promise.all(Array.from({ length: count }, (_, i) => open(i)));
}

async function hasEvent(socket: Socket): Promise<void> {
  for (;;) {
    const [chunk] = await once(socket, 'data');
    if (String(chunk).includes('event: folder.created')) return;
  }
}

/** With a reset: a connection that is closed in one direction only keeps its place until the next comment. */
function close(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
