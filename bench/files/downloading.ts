import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Server } from '../mail/servers.ts';

const PLAIN = join(import.meta.dirname, 'plain-download.ts');
const AT_ONCE = 8;

/** What is downloaded again and again. */
export interface Source {
  url: string;
  headers: Record<string, string>;
}

/** Starts the plain server on one file. */
export async function startPlain(path: string): Promise<Server> {
  const process_ = fork(PLAIN);
  process_.send(path);
  const [url] = await once(process_, 'message');
  const stop = async () => {
    process_.kill();
    await once(process_, 'exit');
  };
  return { url: String(url), pid: process_.pid ?? 0, stop };
}

/** Millions of bytes a second of one source beside another's, in turns; the round of the median ratio. */
export async function downloads(source: Source, beside: Source, rounds: number) {
  const pairs: { value: number; ceiling: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push({ value: await throughput(source), ceiling: await throughput(beside) });
  }
  pairs.sort((a, b) => a.value / a.ceiling - b.value / b.ceiling);
  const median = pairs[Math.floor(pairs.length / 2)];
  if (!median) throw new RangeError('no rounds');
  return median;
}

async function throughput(source: Source): Promise<number> {
  const begin = performance.now();
  const sizes = await Promise.all(Array.from({ length: AT_ONCE }, () => download(source)));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return bytes / 1e6 / ((performance.now() - begin) / 1000);
}

/** Downloads it to its end; answers how many bytes came. */
export function download({ url, headers }: Source): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      response.on('end', () => resolve(size));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
