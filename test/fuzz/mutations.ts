import type { Random } from '../../bench/mail/random.ts';
import type { Known } from './known.ts';
import type { FuzzRequest } from './requests.ts';

type Mutation = (request: FuzzRequest, random: Random, known: Known) => void;

const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  '%00',
  '\ud800',
  '\u2028',
  'x'.repeat(10_000),
  "'; drop table users; --",
  '-0',
  '1e999',
  'NaN',
  '0x10',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'A'.repeat(300),
  '\u202egnp.exe',
  '=1+1',
  '<script>alert(1)</script>',
  '*',
  '%',
  '_',
  '9999-12-31T23:59:60Z',
  '0000-00-00T00:00:00Z',
];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  [],
  {},
  [[]],
  -1,
  0,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  -(2 ** 63),
  ...ODD_TEXTS,
];

const DEEP = 1_000;

/** Replaces, adds or removes something somewhere in a JSON body. */
const changeBody: Mutation = (request, random) => {
  const value = jsonOf(request);
  if (value === undefined || isDeep(request)) return;
  const holders = holdersIn(value);
  const holder = random.of(holders);
  const names = Object.keys(holder);
  if (names.length > 0 && random.chance(0.8)) {
    const name = random.of(names);
    if (random.chance(0.2)) delete holder[name];
    else holder[name] = random.of(ODD_VALUES);
  } else {
    holder[random.of(['unknown', '__proto__', '', 'id'])] = random.of(ODD_VALUES);
  }
  request.body = JSON.stringify(value);
};

function jsonOf({ body, headers }: FuzzRequest): unknown {
  if (typeof body !== 'string' || headers['content-type'] !== 'application/json') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What is nested so deep was made deep before, and JSON.stringify cannot write it again. */
function isDeep({ body }: FuzzRequest): boolean {
  return typeof body === 'string' && body.startsWith('['.repeat(DEEP));
}

/** The value itself and every object and array in it. */
function holdersIn(value: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  for (let level = [value]; level.length > 0; ) {
    const holders = level.filter((part) => part !== null && typeof part === 'object') as typeof found;
    found.push(...holders);
    level = holders.flatMap((holder) => Object.values(holder));
  }
  return found.length > 0 ? found : [{}];
}

const breakBytes: Mutation = (request, random) => {
  if (request.body === undefined) return;
  const bytes = Buffer.from(request.body);
  for (let i = random.below(8); i >= 0; i--) {
    const at = random.below(bytes.length + 1);
    bytes[Math.min(at, bytes.length - 1)] = random.below(256);
  }
  request.body = random.chance(0.3) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
};

const oddPath: Mutation = (request, random, known) => {
  const names = Object.keys(request.path);
  if (names.length > 0)
    request.path[random.of(names)] = random.chance(0.5) ? random.of(ODD_TEXTS) : known.id();
};

const oddQuery: Mutation = (request, random) => {
  const names = [...request.operation.parameters.map(({ name }) => name), 'limit', 'cursor', 'unknown'];
  request.query.push([random.of(names), random.of(ODD_TEXTS)]);
};

const oddHeader: Mutation = (request, random) => {
  const name = random.of([
    'idempotency-key',
    'content-type',
    'authorization',
    'if-match',
    'range',
    'accept',
    'content-digest',
    'if-none-match',
  ]);
  if (random.chance(0.3)) delete request.headers[name];
  else
    request.headers[name] = random
      .of(ODD_TEXTS)
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 500);
};

const noBody: Mutation = (request) => {
  request.body = undefined;
};

const deepBody: Mutation = (request, random) => {
  const depth = 10 ** (1 + random.below(4));
  request.body = `${'['.repeat(depth)}${']'.repeat(depth)}`;
};

const MUTATIONS: readonly Mutation[] = [
  changeBody,
  changeBody,
  changeBody,
  changeBody,
  breakBytes,
  oddPath,
  oddQuery,
  oddHeader,
  noBody,
  deepBody,
];

/** Changes a request in a few ways, so that it is one that somebody might send by mistake or in malice. */
export function mutate(request: FuzzRequest, random: Random, known: Known): void {
  for (let times = 1 + random.below(3); times > 0; times--) random.of(MUTATIONS)(request, random, known);
}
