/**
 * How long others wait while 1,000,000 cells are calculated anew: the p99 of reading a document, reading a cell and
 * writing one of another spreadsheet, beside the same without. To reach: at most three times as long.
 */
import { type LoadRequest, load, SEQUENCE } from './load.ts';
import { medianOf, type Pair } from './mail/measuring.ts';
import { get, HEADERS, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';
import { loadedFormulas } from './spreadsheets/load-formulas.ts';

const CELLS = 1_000_000;
const LAST_CELL = 'T50000';
const ROUNDS = 3;
const SECONDS = 1;
const CONNECTIONS = 4;

export async function bench(): Promise<Figure[]> {
  const server = await startAtrium(await loadedFormulas(CELLS));
  try {
    const ids = await spreadsheetIds(server);
    const [large, small] = [ids.get('Formulas') ?? '', ids.get('Small') ?? ''];
    await calculate(server, large, 1);
    const figures: Figure[] = [];
    for (const [name, requests] of Object.entries(othersOn(small))) {
      const pairs: Pair[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const ceiling = await p99(server, requests());
        const value = await whileCalculating(server, large, () => p99(server, requests()));
        pairs.push({ value, ceiling });
      }
      figures.push({ name: `p99 of ${name} beside it`, unit: 'ms', ...medianOf(pairs) });
    }
    return figures;
  } finally {
    await server.stop();
  }
}

async function spreadsheetIds(server: Server): Promise<Map<string, string>> {
  const { data } = await get(server, '/v1/documents?type=spreadsheet');
  return new Map((data as { title: string; id: string }[]).map(({ title, id }) => [title, id]));
}

/** What others ask for; of each write another value than the one before, under a key that no round has had. */
function othersOn(id: string): Record<string, () => LoadRequest[]> {
  const cell = `/v1/spreadsheets/${id}/values/A1`;
  const json = { ...HEADERS, 'content-type': 'application/json' };
  return {
    'reading a document': () => [{ method: 'GET', path: `/v1/documents/${id}`, headers: HEADERS }],
    'reading a cell': () => [{ method: 'GET', path: cell, headers: HEADERS }],
    'writing a cell': () => {
      const headers = { ...json, 'idempotency-key': `${crypto.randomUUID()}-${SEQUENCE}` };
      return [1, 2].map((value) => ({
        method: 'PUT',
        path: cell,
        headers,
        body: JSON.stringify({ values: [[value]] }),
      }));
    },
  };
}

async function p99({ url }: Server, requests: LoadRequest[]): Promise<number> {
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.p99;
}

/** Changes what all cells depend on and asks for one of them, again and again until the measurement is over. */
async function whileCalculating(server: Server, id: string, measure: () => Promise<number>): Promise<number> {
  let isOver = false;
  const calculating = (async () => {
    while (!isOver) await calculate(server, id, Math.random());
  })();
  const value = await measure().finally(() => {
    isOver = true;
  });
  await calculating;
  return value;
}

async function calculate(server: Server, id: string, input: number): Promise<void> {
  await fetch(`${server.url}/v1/spreadsheets/${id}/values/A1`, {
    method: 'PUT',
    headers: { ...HEADERS, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ values: [[input]] }),
  });
  await get(server, `/v1/spreadsheets/${id}/values/${LAST_CELL}`);
}
