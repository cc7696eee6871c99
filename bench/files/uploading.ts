import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { HEADERS, type Server } from '../mail/servers.ts';

export const MIB = 1024 * 1024;
export const LARGE_FILE = 256 * MIB;
export const FILES = 200;
export const PART = randomBytes(8 * MIB);
export const SMALL_FILE = PART.subarray(0, MIB);
const PARTS_AT_ONCE = 4;
const FILES_AT_ONCE = 16;

// fetch would copy every body: the load generator has to be cheaper than what it measures.
const agent = new Agent({ keepAlive: true, maxSockets: FILES_AT_ONCE });

/** Does something for each part of a file of so many bytes, by its number from 0. */
export function eachPart(size: number, work: (number: number) => Promise<unknown>): Promise<void> {
  return byClients(PARTS_AT_ONCE, size / PART.length, work);
}

/** Does something for each of the small files, by its number from 0. */
export function eachFile(work: (number: number) => Promise<unknown>): Promise<void> {
  return byClients(FILES_AT_ONCE, FILES, work);
}

/** Uploads the large file in parts, from its start to its record. */
export async function uploadInParts(server: Server): Promise<void> {
  const upload = await startUpload(server, LARGE_FILE);
  await sendParts(server, upload, LARGE_FILE);
  await completeUpload(server, upload);
}

/** Starts the upload of a file of so many bytes; answers its session. */
export async function startUpload(server: Server, size: number): Promise<string> {
  const start = Buffer.from(JSON.stringify({ filename: 'film', size }));
  return (await send(server, 'POST', '/v1/files/uploads', start)).session_id;
}

/** Sends all parts of it. */
export function sendParts(server: Server, upload: string, size: number): Promise<void> {
  const path = `/v1/files/uploads/${upload}/parts`;
  return eachPart(size, (number) => send(server, 'PUT', `${path}/${number + 1}`, PART));
}

/** Answers the id of the file. */
export async function completeUpload(server: Server, upload: string): Promise<string> {
  return (await send(server, 'POST', `/v1/files/uploads/${upload}/complete`)).id;
}

/** Uploads the small files, each in one request. */
export function uploadFiles(server: Server): Promise<void> {
  return eachFile((number) => send(server, 'POST', `/v1/files?filename=${number}.bin`, SMALL_FILE));
}

async function byClients(clients: number, times: number, work: (number: number) => Promise<unknown>) {
  let next = 0;
  const client = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function send(server: Server, method: string, path: string, body = Buffer.alloc(0)) {
  const { promise, resolve, reject } = Promise.withResolvers<{ session_id: string; id: string }>();
  const headers = {
    ...HEADERS,
    'idempotency-key': randomUUID(),
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const sent = request(`${server.url}${path}`, { method, agent, headers }, async (response) => {
    const answer = await text(response);
    if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(answer).data);
    else reject(new Error(answer));
  });
  sent.once('error', reject).end(body);
  return promise;
}
