/**
 * 1,000 cells read and one written of a spreadsheet of 1,000,000: the reads (the same again and again, which are in the cache,
 * others that overlap, and others that do not) beside a bare node:http server that answers the same from memory, the write
 * beside the same write to one of 1,000 cells, beside one of 10,000 cells, and beside plain durable writes of one row. To
 * reach: 0.4 of the bare server for the same again and again, 1.5 and 60 times the cost of the one cell, and half of the plain writes.
 */
import { randomUUID } from 'node:crypto';
import { type LoadRequest, load, SEQUENCE } from './load.ts';
import { medianOf, type Pair } from './mail/measuring.ts';
import { HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import { withSingleRowWrites } from './mail/single-row-writes.ts';
import type { Figure } from './report.ts';
import { loadedSpreadsheet } from './spreadsheets/load-spreadsheet.ts';

const ROUNDS = 5;
/** Rounds that count for nothing: the compiler of Node is at work for the first thousands of requests of a kind. */
const WARM_UPS = 3;
const SECONDS = 0.5;
const CONNECTIONS = 16;
const VALUES = 100;
/** Each twelve rows further down. */
const OVERLAPPING = rangesOf(['A', 'J'], { count: 4_000, step: 12 });
/** All of the spreadsheet, which is more than the cache holds. */
const APART = [['A', 'J'] as const, ['K', 'T'] as const].flatMap((columns) =>
  rangesOf(columns, { count: 500, step: 100 }),
);
const LARGE_BLOCK = { rows: 500, columns: 20 };

export async function bench(): Promise<Figure[]> {
  const small = await startAtrium(await loadedSpreadsheet(1_000));
  const large = await startAtrium(await loadedSpreadsheet(1_000_000));
  const path = await pathOf(large, 'A20001:J20100');
  const bare = await startBare({ [path]: { data: await dataOf(large, path), pagination: undefined } });
  const read = () => [{ method: 'GET', path, headers: HEADERS }];
  const overlapping = await readsOf(large, OVERLAPPING);
  const apart = await readsOf(large, APART);
  const [toLarge, toSmall] = [await writesTo(large, 'C30', cell), await writesTo(small, 'C30', cell)];
  const blockToSmall = await writesTo(small, 'A101', largeBlock);
  try {
    return [
      {
        name: 'reading the same 1,000 cells of 1,000,000',
        unit: '/s beside bare',
        ...(await rates([large, read], [bare, read])),
      },
      {
        name: 'reading 1,000 others each time, which overlap',
        unit: '/s beside bare',
        ...(await rates([large, overlapping], [bare, read])),
      },
      {
        name: 'reading 1,000 others each time, none of them in the cache',
        unit: '/s beside bare',
        ...(await rates([large, apart], [bare, read])),
      },
      {
        name: 'writing a cell of 1,000,000, beside 1,000',
        unit: '/s',
        ...(await rates([large, toLarge], [small, toSmall])),
      },
      {
        name: 'writing 10,000 cells, beside one',
        unit: 'µs',
        ...costsOf(await rates([small, blockToSmall], [small, toSmall])),
      },
      {
        name: 'writing a cell, beside plain rows',
        unit: '/s',
        ...(await withSingleRowWrites(async (plain) =>
          medianOf(
            await pairsOf(
              () => rate([small, toSmall]),
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

/** Ranges of 100 rows, each so many rows further down. */
function rangesOf(
  [left, right]: readonly [string, string],
  { count, step }: { count: number; step: number },
): string[] {
  const firsts = Array.from({ length: count }, (_, k) => k * step + 1);
  return firsts.map((first) => `${left}${first}:${right}${first + 99}`);
}

async function readsOf(server: Server, ranges: readonly string[]): Promise<() => LoadRequest[]> {
  const values = await pathOf(server, '');
  return () => ranges.map((range) => ({ method: 'GET', path: values + range, headers: HEADERS }));
}

function cell(value: number): number[][] {
  return [[value]];
}

function largeBlock(value: number): number[][] {
  const { rows, columns } = LARGE_BLOCK;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => row * columns + column + value),
  );
}

/** What one takes of each, in microseconds. */
function costsOf({ value, ceiling }: Pair): Pair {
  return { value: 1e6 / value, ceiling: 1e6 / ceiling };
}

/** Each request of each round has a key of its own, and writes something else than the one before. */
async function writesTo(
  server: Server,
  range: string,
  values: (value: number) => number[][],
): Promise<() => LoadRequest[]> {
  const path = await pathOf(server, range);
  return () => {
    const round = randomUUID();
    return Array.from({ length: VALUES }, (_, value) => ({
      method: 'PUT',
      path,
      headers: {
        ...HEADERS,
        'content-type': 'application/json',
        'idempotency-key': `${round}-${SEQUENCE}`,
      },
      body: JSON.stringify({ values: values(value) }),
    }));
  };
}

type Subject = readonly [Server, () => LoadRequest[]];

/** In turns; the round of the median ratio. */
async function rates(subject: Subject, beside: Subject): Promise<Pair> {
  return medianOf(
    await pairsOf(
      () => rate(subject),
      () => rate(beside),
    ),
  );
}

type Measure = () => Promise<number>;

async function pairsOf(value: Measure, ceiling: Measure): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++)
    pairs.push({ value: await value(), ceiling: await ceiling() });
  return pairs.slice(WARM_UPS);
}

async function rate([{ url }, requests]: Subject): Promise<number> {
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests: requests() });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}
