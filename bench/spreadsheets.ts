/**
 * 1,000 cells read and one written of a spreadsheet of 1,000,000: the reads (the same again and again, or others each
 * time) beside a bare node:http server that answers the same from memory, the write beside the same write to one of 1,000
 * cells and beside plain durable writes of one row. To reach: half of the bare server, and of the plain writes.
 */
import { type LoadRequest, load, SEQUENCE } from './load.ts';
import { medianOf, type Pair } from './mail/measuring.ts';
import { HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import { withSingleRowWrites } from './mail/single-row-writes.ts';
import type { Figure } from './report.ts';
import { loadedSpreadsheet } from './spreadsheets/load-spreadsheet.ts';

const ROUNDS = 5;
const SECONDS = 0.5;
const CONNECTIONS = 16;
const VALUES = 100;
/** More than are remembered. */
const BLOCKS = 4_000;

export async function bench(): Promise<Figure[]> {
  const small = await startAtrium(await loadedSpreadsheet(1_000));
  const large = await startAtrium(await loadedSpreadsheet(1_000_000));
  const block = await pathOf(large, 'A20001:J20100');
  const blocks = Array.from({ length: BLOCKS }, (_, k) =>
    block.replace('A20001:J20100', `A${k * 12 + 1}:J${k * 12 + 100}`),
  );
  const bare = await startBare({ [block]: { data: await dataOf(large, block), pagination: undefined } });
  const read = () => [{ method: 'GET', path: block, headers: HEADERS }];
  const readOthers = () => blocks.map((path) => ({ method: 'GET', path, headers: HEADERS }));
  const [toLarge, toSmall] = [await writesTo(large), await writesTo(small)];
  try {
    return [
      {
        name: 'reading the same 1,000 cells of 1,000,000',
        unit: '/s beside bare',
        ...(await rates([large, read], [bare, read])),
      },
      {
        name: 'reading 1,000 other cells each time',
        unit: '/s beside bare',
        ...(await rates([large, readOthers], [bare, read])),
      },
      {
        name: 'writing a cell of 1,000,000, beside 1,000',
        unit: '/s',
        ...(await rates([large, toLarge], [small, toSmall])),
      },
      {
        name: 'writing a cell, beside plain rows',
        unit: '/s',
        ...(await withSingleRowWrites(async (plain) =>
          medianOf(
            await pairsOf(
              (round) => rate([small, toSmall], ROUNDS + round),
              () => plain(SECONDS),
            ),
          ),
        )),
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
async function rates(subject: Subject, beside: Subject): Promise<Pair> {
  return medianOf(
    await pairsOf(
      (round) => rate(subject, round),
      (round) => rate(beside, round),
    ),
  );
}

type Measure = (round: number) => Promise<number>;

async function pairsOf(value: Measure, ceiling: Measure): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < ROUNDS; round++)
    pairs.push({ value: await value(round), ceiling: await ceiling(round) });
  return pairs;
}

async function rate([{ url }, requests]: Subject, round: number): Promise<number> {
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests: requests(round) });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}
