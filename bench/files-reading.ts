/**
 * Listing the newest 50 of 1,000 files beside a bare node:http server that answers the same from memory; listing a folder
 * of 100,000 files and searching their names beside a folder and names of 1,000; and downloading a large file beside plain
 * node:http streaming of the same one. To reach: half of the bare server, 1.5 times the cost, and the plain rate.
 */
import { join } from 'node:path';
import { downloads, type Source, startPlain } from './files/downloading.ts';
import { driveDirectory, LARGE_FILE } from './files/drive.ts';
import { pageAfter } from './mail/listings.ts';
import { costs, rates } from './mail/measuring.ts';
import { type AtriumServer, get, HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const COST = { rounds: 7, requests: 300 };
const FEW = 1_000;
const MANY = 100_000;
const NEWEST = '/v1/files';
const SEARCHES = {
  'what all have': 'q=minutes',
  'what few have': 'q=meeting 77&limit=10',
  'what nobody has': 'q=zzzz',
  'what nobody has, of common fragments': 'q=minutes agreed',
};

export async function bench(): Promise<Figure[]> {
  const dataDir = await driveDirectory(FEW);
  const few = await startAtrium(dataDir);
  const many = await startAtrium(await driveDirectory(MANY));
  try {
    const figures = [await listing(few), ...(await inFolder(many, few)), ...(await searches(many, few))];
    return [...figures, await download(few, join(dataDir, LARGE_FILE))];
  } finally {
    await Promise.all([few.stop(), many.stop()]);
  }
}

async function listing(atrium: Server): Promise<Figure> {
  const bare = await startBare({ [NEWEST]: await get(atrium, NEWEST) });
  try {
    return { name: 'newest 50', unit: '/s beside bare', ...(await rates(atrium, bare, NEWEST, ROUNDS)) };
  } finally {
    await bare.stop();
  }
}

async function inFolder(many: AtriumServer, few: AtriumServer): Promise<Figure[]> {
  const paths = { many: await folderOf(many), few: await folderOf(few) };
  const name = `newest 50 in a folder, of ${MANY} beside ${FEW}`;
  const first = await costs({ server: many, path: paths.many }, { server: few, path: paths.few }, COST);
  const middle = {
    many: await pageAfter(many, paths.many, MANY / 2),
    few: await pageAfter(few, paths.few, FEW / 2),
  };
  const deep = await costs({ server: many, path: middle.many }, { server: few, path: middle.few }, COST);
  return [
    { name, unit: 'µs', ...first },
    { name: `50 in its middle, of ${MANY} beside ${FEW}`, unit: 'µs', ...deep },
  ];
}

/** The listing of the folder that all but the large file are in. */
async function folderOf(server: Server): Promise<string> {
  const [folder] = (await get(server, '/v1/file-folders')).data as { id: string }[];
  return `${NEWEST}?folder_id=${folder?.id}`;
}

async function searches(many: AtriumServer, few: AtriumServer): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [what, query] of Object.entries(SEARCHES)) {
    const path = `${NEWEST}?${query.replaceAll(' ', '%20')}`;
    const pair = await costs({ server: many, path }, { server: few, path }, COST);
    figures.push({ name: `${what}, of ${MANY} beside ${FEW}`, unit: 'µs', ...pair });
  }
  return figures;
}

async function download(atrium: Server, path: string): Promise<Figure> {
  const [largest] = (await get(atrium, '/v1/files?q=large')).data as { id: string }[];
  const plain = await startPlain(path);
  const source: Source = { url: `${atrium.url}/v1/files/${largest?.id}/content`, headers: HEADERS };
  try {
    const pair = await downloads(source, { url: plain.url, headers: {} }, ROUNDS);
    return { name: 'download of 64 MiB, eight at once', unit: 'MB/s beside plain', ...pair };
  } finally {
    await plain.stop();
  }
}
