/**
 * What the server holds in memory above what it holds idle, at most, while 10 GiB are uploaded in parts, 4 at once, while
 * the type of that file is looked for, and while it is downloaded from a server that has just started. To reach: 60 MB, and
 * 150 MB while the type is looked for.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { download } from './files/downloading.ts';
import { completeUpload, MIB, sendParts, startUpload } from './files/uploading.ts';
import { get, HEADERS, residentMegabytes, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const SIZE = 10 * 1024 * MIB;
/** After that nothing that a start began is still under way. */
const SETTLED_MS = 3_000;
const EVERY_MS = 50;

export async function bench(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  try {
    const { fileId, figures } = await uploading(dataDir);
    return [...figures, await downloading(dataDir, fileId)];
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function uploading(dataDir: string): Promise<{ fileId: string; figures: Figure[] }> {
  const server = await startAtrium(dataDir);
  try {
    const idle = await idleMegabytes(server);
    const upload = await startUpload(server, SIZE);
    const parts = await peakOf(server, () => sendParts(server, upload, SIZE));
    let fileId = '';
    const type = await peakOf(server, async () => {
      fileId = await completeUpload(server, upload);
    });
    return {
      fileId,
      figures: [
        figure('while 10 GiB come in parts', parts - idle),
        figure('while their type is looked for', type - idle),
      ],
    };
  } finally {
    await server.stop();
  }
}

async function downloading(dataDir: string, fileId: string): Promise<Figure> {
  const server = await startAtrium(dataDir);
  try {
    const idle = await idleMegabytes(server);
    const source = { url: `${server.url}/v1/files/${fileId}/content`, headers: HEADERS };
    const peak = await peakOf(server, () => download(source));
    return figure('while 10 GiB are downloaded', peak - idle);
  } finally {
    await server.stop();
  }
}

function figure(name: string, value: number): Figure {
  return { name: `memory above idle ${name}`, value, unit: 'MB' };
}

async function idleMegabytes(server: Server): Promise<number> {
  await get(server, '/v1/files');
  await sleep(SETTLED_MS);
  return residentMegabytes(server);
}

/** The most that the server holds while something is done. */
async function peakOf(server: Server, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, residentMegabytes(server));
  };
  const timer = setInterval(look, EVERY_MS);
  try {
    await work();
    look();
    return peak;
  } finally {
    clearInterval(timer);
  }
}
