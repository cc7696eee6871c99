/**
 * A block of 100 rows and 20 columns read, and one cell written, of a spreadsheet of 1,000,000 cells: the read beside a
 * bare node:http server that answers the same from memory, the write beside the same write to one of 1,000 cells.
 */
import { type LoadRequest, load, SEQUENCE } from './load.ts';
import { HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';
import { loadedSpreadsheet } from './spreadsheets/load-spreadsheet.ts';

const ROUNDS = 5;
const SECONDS = 0.5;
const CONNECTIONS = 16;
const VALUES = 100;

export async function bench(): Promise<Figure[]> {
  const small = await startAtrium(await loadedSpreadsheet(1_000));
  const large = await startAtrium(await loadedSpreadsheet(1_000_000));
  const block = await pathOf(large, 'A20001:T20100');
  const bare = await startBare({ [block]: { data: await dataOf(large, block), pagination: undefined } });
  const read = () => [{ method: 'GET', path: block, headers: HEADERS }];
  const [toLarge, toSmall] = [await writesTo(large), await writesTo(small)];
  try {
    return [
      {
        name: 'reading 100 rows of 20 cells of 1,000,000',
        unit: '/s beside bare',
        ...(await rates([large, read], [bare, read])),
      },
      {
        name: 'writing a cell of 1,000,000, beside 1,000',
        unit: '/s',
        ...(await rates([large, toLarge], [small, toSmall])),
      },
    ];
  } finally {
    await Promise.all([small.stop(), large.stop(), bare.stop()]);
  }
}

async function pathOf(server: Server, range: string): Promise<string> {
  const [found] = (await dataOf(server, '/v1/documents?type=spreadsheet')) as { id: string }[];
  return `/v1/spreadsheets/${found?.id}/values/${range}`;
}

async function dataOf({ url }: Server, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: HEADERS });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { data: unknown }).data;
}

/** Each request of a round has a key of its own, and writes something else than the one before. */
async function writesTo(server: Server): Promise<(round: number) => LoadRequest[]> {
  const path = await pathOf(server, 'C30');
  return (round) =>
    Array.from({ length: VALUES }, (_, value) => ({
      method: 'PUT',
      path,
      headers: {
        ...HEADERS,
        'content-type': 'application/json',
        'idempotency-key': `${round}-${SEQUENCE}`,
      },
      body: JSON.stringify({ values: [[value]] }),
    }));
}

type Subject = readonly [Server, (round: number) => LoadRequest[]];

/** In turns; the round of the median ratio. */
async function rates(subject: Subject, beside: Subject): Promise<{ value: number; ceiling: number }> {
  const pairs: { value: number; ceiling: number }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    pairs.push({ value: await rate(subject, round), ceiling: await rate(beside, round) });
  const sorted = pairs.toSorted((a, b) => a.value / a.ceiling - b.value / b.ceiling);
  return sorted[Math.floor(sorted.length / 2)] ?? { value: 0, ceiling: 0 };
}

async function rate([{ url }, requests]: Subject, round: number): Promise<number> {
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests: requests(round) });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}
