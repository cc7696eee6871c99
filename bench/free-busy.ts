/**
 * When people with 1,000 events each, of which 300 have recurred since 2005, are busy in a week, beside a bare node:http
 * server that answers the same from memory; to reach: one person 0.4 of its rate, ten 0.15. The first question after a
 * change, of which nothing is known: series since 2005 beside series since last month, and 10,000 events beside 1,000;
 * to reach: 1.2 times the time. And a time for fifty people within two months, beside the 50 ms that it may take: when
 * they are known, and when nothing is known of any of them.
 */
import { addressOf, loadedCalendar } from './calendar/load-calendar.ts';
import { load } from './load.ts';
import { inTurns, type Pair } from './mail/measuring.ts';
import { HEADERS, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const SECONDS = 0.5;
const CONNECTIONS = 16;
/** Questions after a change, each. */
const FIRST_QUESTIONS = 60;
/** Those that count for nothing: until then the compiler of Node is at work, and not on every server as long. */
const WARM_UPS = 120;
const WEEK = { start: '2026-03-02T00:00:00Z', end: '2026-03-09T00:00:00Z' };
const TWO_MONTHS = { start: '2026-03-02T00:00:00Z', end: '2026-05-03T00:00:00Z' };
const MOST_MS = 50;
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };

interface Question {
  path: string;
  body: string;
}

export async function bench(): Promise<Figure[]> {
  const calendars = [
    { people: 50, events: 1_000, since: '2005-01' },
    { people: 1, events: 1_000, since: '2026-02' },
    { people: 1, events: 10_000, since: '2005-01' },
  ];
  const servers: Server[] = [];
  try {
    for (const calendar of calendars) servers.push(await startAtrium(await loadedCalendar(calendar)));
    const [fifty, recent, many] = servers as [Server, Server, Server];
    return [
      { name: 'a week of one', unit: '/s beside bare', ...(await besideBare(fifty, weekOf(1))) },
      { name: 'a week of ten', unit: '/s beside bare', ...(await besideBare(fifty, weekOf(10))) },
      { name: 'first week, since 2005 beside 2026', unit: 'ms', ...(await firstTimes(fifty, recent)) },
      { name: 'first week, of 10,000 beside 1,000', unit: 'ms', ...(await firstTimes(many, fifty)) },
      { name: 'a time for fifty', unit: 'ms', value: await timeOf(fifty, FIND), ceiling: MOST_MS },
      { name: 'a first time for fifty', unit: 'ms', value: await firstTimeOf(fifty, FIND), ceiling: MOST_MS },
    ];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function peopleUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, person) => addressOf(person));
}

function weekOf(people: number): Question {
  return { path: '/v1/freebusy', body: JSON.stringify({ attendees: peopleUpTo(people), ...WEEK }) };
}

const FIND: Question = {
  path: '/v1/freebusy/find',
  body: JSON.stringify({ attendees: peopleUpTo(25), optional_attendees: peopleUpTo(50), ...TWO_MONTHS }),
};

async function ask({ url }: Server, { path, body }: Question): Promise<unknown> {
  const response = await fetch(url + path, { method: 'POST', headers: JSON_HEADERS, body });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { data: unknown }).data;
}

/** In turns; the round of the median ratio. */
async function besideBare(server: Server, question: Question): Promise<Pair> {
  const bare = await startBare({
    [question.path]: { data: await ask(server, question), pagination: undefined },
  });
  try {
    const value = () => rate(server, question);
    const ceiling = () => rate(bare, question);
    return await inTurns({ value, ceiling }, ROUNDS);
  } finally {
    await bare.stop();
  }
}

async function rate({ url }: Server, question: Question): Promise<number> {
  const requests = [{ method: 'POST', headers: JSON_HEADERS, ...question }];
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}

/** In turns; the medians. */
async function firstTimes(server: Server, beside: Server): Promise<Pair> {
  const times: Pair[] = [];
  for (let i = 0; i < WARM_UPS + FIRST_QUESTIONS; i++)
    times.push({ value: await firstTime(server), ceiling: await firstTime(beside) });
  const later = times.slice(WARM_UPS);
  return {
    value: median(later.map(({ value }) => value)),
    ceiling: median(later.map(({ ceiling }) => ceiling)),
  };
}

/** The time of the first question after an event has come. */
async function firstTime(server: Server): Promise<number> {
  await addEvent(server);
  return once(server, weekOf(1));
}

/** Of those whom it lists, nothing is known any more. */
async function addEvent({ url }: Server, attendees: readonly string[] = []): Promise<void> {
  const response = await fetch(`${url}/v1/calendars`, { headers: HEADERS });
  const [calendar] = ((await response.json()) as { data: { id: string }[] }).data;
  const added = await fetch(`${url}/v1/calendars/${calendar?.id}/events`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify({ starts_at: '2020-01-01T08:00:00Z', ends_at: '2020-01-01T09:00:00Z', attendees }),
  });
  if (added.status !== 201) throw new Error(await added.text());
}

async function timeOf(server: Server, question: Question): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < FIRST_QUESTIONS; i++) times.push(await once(server, question));
  return median(times);
}

async function firstTimeOf(server: Server, question: Question): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < FIRST_QUESTIONS; i++) {
    await addEvent(server, peopleUpTo(50));
    times.push(await once(server, question));
  }
  return median(times.slice(FIRST_QUESTIONS / 2));
}

async function once(server: Server, question: Question): Promise<number> {
  const begin = performance.now();
  await ask(server, question);
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
