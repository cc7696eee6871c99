/**
 * Listing the newest 50 of 5,000 files beside a bare node:http server that answers the same from memory, searching
 * their names in vain, and downloading a large file beside plain node:http streaming of the same one.
 */
import { join } from 'node:path';
import { downloads, type Source, startPlain } from './files/downloading.ts';
import { driveDirectory, LARGE_FILE } from './files/drive.ts';
import { rates } from './mail/measuring.ts';
import { get, HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const NEWEST = '/v1/files';
const IN_VAIN = '/v1/files?q=zzzz';

export async function bench(): Promise<Figure[]> {
  const dataDir = await driveDirectory();
  const atrium = await startAtrium(dataDir);
  try {
    return [...(await listings(atrium)), await download(atrium, join(dataDir, LARGE_FILE))];
  } finally {
    await atrium.stop();
  }
}

async function listings(atrium: Server): Promise<Figure[]> {
  const answers = { [NEWEST]: await get(atrium, NEWEST), [IN_VAIN]: await get(atrium, IN_VAIN) };
  const bare = await startBare(answers);
  try {
    return [
      { name: 'newest 50', unit: '/s beside bare', ...(await rates(atrium, bare, NEWEST, ROUNDS)) },
      {
        name: 'a search of 5,000 in vain',
        unit: '/s beside bare',
        ...(await rates(atrium, bare, IN_VAIN, ROUNDS)),
      },
    ];
  } finally {
    await bare.stop();
  }
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
