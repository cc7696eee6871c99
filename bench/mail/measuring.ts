import { Agent, get as httpGet } from 'node:http';
import { load } from '../load.ts';
import type { Figure } from '../report.ts';
import { type AtriumServer, HEADERS, type Server } from './servers.ts';

const CONNECTIONS = 16;
const TURN_SECONDS = 0.5;
const CLIENTS = 4;
/** Rounds that count for nothing: a server runs for weeks, and the compiler of Node is at work for the first thousands of requests. */
const WARM_UPS = 5;

/** One round: what was measured, and what stands beside it. */
export type Pair = Required<Pick<Figure, 'value' | 'ceiling'>>;

/** Requests a second of one server beside another's, at sixteen connections, in turns; the round of the median ratio. */
export async function rates(server: Server, beside: Server, path: string, rounds: number): Promise<Pair> {
  const value = () => rate(server, [path]);
  const ceiling = () => rate(beside, [path]);
  return inTurns({ value, ceiling }, rounds);
}

/** What is measured and what stands beside it, in turns; the round of the median ratio. */
export async function inTurns(
  { value, ceiling }: { value: () => Promise<number>; ceiling: () => Promise<number> },
  rounds: number,
): Promise<Pair> {
  const pairs: Pair[] = [];
  for (let round = 0; round < WARM_UPS + rounds; round++) {
    const pair = { value: await value(), ceiling: await ceiling() };
    if (round >= WARM_UPS) pairs.push(pair);
  }
  return medianOf(pairs);
}

/** Requests a second, through the paths and over again. */
export async function rate({ url }: Server, paths: readonly string[]): Promise<number> {
  const requests = paths.map((path) => ({ method: 'GET', path, headers: HEADERS }));
  const result = await load({ url, connections: CONNECTIONS, seconds: TURN_SECONDS, requests });
  if (result.errors > 0) throw new Error(`${paths[0]}: ${result.firstError}`);
  return result.requestsPerSecond;
}

/** One thing to ask a server for again and again, each time after it has forgotten it. */
export interface Question {
  server: AtriumServer;
  path: string;
}

/** Microseconds of processor time that a request costs, one question beside another, in turns; the round of the median ratio. */
export async function costs(
  question: Question,
  beside: Question,
  { rounds, requests }: { rounds: number; requests: number },
): Promise<Pair> {
  const value = () => cost(question, requests);
  const ceiling = () => cost(beside, requests);
  return inTurns({ value, ceiling }, rounds);
}

/**
 * What the server itself says it used, so that neither the client nor whatever else the machine does is counted. A
 * server does nothing else meanwhile.
 */
async function cost({ server, path }: Question, requests: number): Promise<number> {
  const before = await processorSeconds(server);
  await askOften(server, path, requests);
  const after = await processorSeconds(server);
  return ((after - before) / requests) * 1e6;
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

async function askOften({ url, forget }: AtriumServer, path: string, requests: number): Promise<void> {
  let left = requests;
  const client = async () => {
    while (left-- > 0) {
      forget();
      await ask(url + path);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

function ask(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, { agent, headers: HEADERS }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    request.on('error', reject);
  });
}

/** A figure of the server's own metrics. */
export async function metric({ url }: Pick<Server, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}

/** The processor time that a server has used, by its own metrics. */
export function processorSeconds(server: Pick<Server, 'url'>): Promise<number> {
  return metric(server, 'process_cpu_seconds_total');
}

/** The round of the median ratio. */
export function medianOf(pairs: Pair[]): Pair {
  const sorted = pairs.toSorted((a, b) => a.value / a.ceiling - b.value / b.ceiling);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (!median) throw new RangeError('no rounds');
  return median;
}
