import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, type LoadRequest, type LoadResult, load, SEQUENCE } from '../load.ts';
import { foldersOf } from './listings.ts';
import { processorSeconds } from './measuring.ts';
import { get, HEADERS, type Server, startAtrium } from './servers.ts';

/** Messages that one request changes. */
export const BATCH = 100;
/** More than there are clients, so that a batch has come back before its next turn. */
const BATCHES = 64;
const CLIENTS = 16;

/** Requests that change a mailbox and, in their second half, undo it. */
export type Changes = readonly LoadRequest[];

/** What is measured: changing flags, changing flags and a label, and moving. */
export interface Workload {
  flags: Changes;
  marks: Changes;
  moves: Changes;
}

/** Runs a server on a copy of a data directory, which is gone afterwards. */
export async function onCopy<T>(dataDir: string, work: (server: Server) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'atrium-bench-changing-'));
  try {
    await cp(dataDir, copy, { recursive: true });
    const server = await startAtrium(copy);
    return await work(server).finally(server.stop);
  } finally {
    await rm(copy, { recursive: true });
  }
}

/** Changes of batches that are neighbours in the inbox, from its newest on. */
export async function workload(server: Server): Promise<Workload> {
  const folders = await foldersOf(server);
  const [inbox = '', archive = ''] = ['Inbox', 'Archive'].map((name) => folders.get(name));
  const batches = await batchesOf(server, inbox);
  const change = (folder: string, operation: string, body: (ids: string[]) => object) =>
    batches.map((ids) =>
      post(`/v1/folders/${folder}/messages/${operation}`, { message_ids: ids, ...body(ids) }),
    );
  const marking = (marks: object) => [
    ...change(inbox, 'flags', () => ({ op: 'add', ...marks })),
    ...change(inbox, 'flags', () => ({ op: 'remove', ...marks })),
  ];
  return {
    flags: marking({ flags: ['starred'] }),
    marks: marking({ flags: ['starred'], labels: ['bench'] }),
    moves: [
      ...change(inbox, 'move', () => ({ to_folder_id: archive })),
      ...change(archive, 'move', () => ({ to_folder_id: inbox })),
    ],
  };
}

/** Sends the changes over and over, from sixteen clients, and undoes the last. Rejects when one is refused. */
export async function send(server: Server, changes: Changes, seconds: number): Promise<LoadResult> {
  const run = randomUUID();
  const requests = changes.map((request) => ({
    ...request,
    headers: { ...request.headers, 'idempotency-key': `${run}-${SEQUENCE}` },
  }));
  const options: Load = { url: server.url, connections: CLIENTS, seconds, requests };
  const result = await load(options);
  if (result.errors > 0) throw new Error(result.firstError);
  await undo(server, changes);
  return result;
}

/** Microseconds of processor time that a server takes for one of the changes, all of them done once. */
export async function changeCost(server: Server, changes: Changes): Promise<number> {
  const before = await processorSeconds(server);
  const half = changes.length / 2;
  for (const part of [changes.slice(0, half), changes.slice(half)]) {
    const statuses = await Promise.all(part.map((change) => sendOnce(server, change)));
    if (statuses.some((status) => status !== 200)) throw new Error(`Refused: ${statuses}`);
  }
  return (((await processorSeconds(server)) - before) / changes.length) * 1e6;
}

/** Where a batch was undone already, the server refuses to do so again, which is as well. */
async function undo(server: Server, changes: Changes): Promise<void> {
  await Promise.all(changes.slice(changes.length / 2).map((change) => sendOnce(server, change)));
}

async function sendOnce({ url }: Server, { method, path, headers, body = '' }: LoadRequest): Promise<number> {
  const itsHeaders = { ...headers, 'idempotency-key': randomUUID() };
  const response = await fetch(url + path, { method, headers: itsHeaders, body });
  await response.arrayBuffer();
  return response.status;
}

function post(path: string, body: object): LoadRequest {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

async function batchesOf(server: Server, folderId: string): Promise<string[][]> {
  const batches: string[][] = [];
  for (let cursor = ''; batches.length < BATCHES; ) {
    const { data, pagination } = await get(
      server,
      `/v1/messages?folder_id=${folderId}&limit=${BATCH}${cursor && `&cursor=${cursor}`}`,
    );
    batches.push((data as { id: string }[]).map(({ id }) => id));
    cursor = pagination.next_cursor;
  }
  return batches;
}
