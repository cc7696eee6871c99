/**
 * One week of one person with 1,000 events, of which 300 have recurred since 2005, beside a bare node:http server that
 * answers the same from memory; and what the week costs with 10,000 events outside of it, beside 1,000. To reach: 0.4 of
 * the bare server's rate, and the same cost.
 */
import { loadedCalendar } from './calendar/load-calendar.ts';
import { load } from './load.ts';
import { HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const SECONDS = 0.5;
const CONNECTIONS = 16;
const PATH = '/v1/freebusy';
const FEW = { events: 1_000, since: 2005 };
const MANY = { events: 10_000, since: 1975 };
const QUESTION = {
  attendees: ['owner@localhost'],
  start: '2026-03-02T00:00:00Z',
  end: '2026-03-09T00:00:00Z',
};

export async function bench(): Promise<Figure[]> {
  const few = await startAtrium(await loadedCalendar(FEW.events, FEW.since));
  const many = await startAtrium(await loadedCalendar(MANY.events, MANY.since));
  const bare = await startBare({ [PATH]: { data: await answerOf(few), pagination: undefined } });
  try {
    const beside = `one week of ${FEW.events} events, 300 recurring since ${FEW.since}`;
    const more = `the same of ${MANY.events} events since ${MANY.since}, beside ${FEW.events}`;
    return [
      { name: beside, unit: '/s beside bare', ...(await rates(few, bare)) },
      { name: more, unit: '/s', ...(await rates(many, few)) },
    ];
  } finally {
    await Promise.all([few.stop(), many.stop(), bare.stop()]);
  }
}

async function answerOf({ url }: Server): Promise<unknown> {
  const { method, headers, body } = request();
  const response = await fetch(url + PATH, { method, headers, body });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { data: unknown }).data;
}

/** In turns; the round of the median ratio. */
async function rates(server: Server, beside: Server): Promise<{ value: number; ceiling: number }> {
  const pairs: { value: number; ceiling: number }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    pairs.push({ value: await rate(server), ceiling: await rate(beside) });
  const sorted = pairs.toSorted((a, b) => a.value / a.ceiling - b.value / b.ceiling);
  return sorted[Math.floor(sorted.length / 2)] ?? { value: 0, ceiling: 0 };
}

async function rate({ url }: Server): Promise<number> {
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests: [request()] });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}

function request() {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return { method: 'POST', path: PATH, headers, body: JSON.stringify(QUESTION) };
}
