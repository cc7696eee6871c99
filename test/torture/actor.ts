import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { Entry } from './ledger.ts';
import type { Random } from './random.ts';

/** A request that changes something. Objects are sent as JSON. */
export interface Write {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object | string | Buffer;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  /** The exact body. */
  text: string;
  replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data: any;
}

/** For each part of what a write does, whether it can be seen. */
export type Effects = () => Promise<boolean[]>;

/** One client that does one thing after the other, and remembers every answer it got. */
export interface Actor {
  readonly random: Random;
  readonly key: string;
  /** How many writes were answered. */
  readonly acknowledged: number;
  /** Sends it until it is answered; after a loss holds what can be seen against what the retry says. */
  write(write: Write, effects?: Effects): Promise<Answer>;
  /** As `write`, and fails unless the answer is a success. */
  must(write: Write, effects?: Effects): Promise<Answer>;
  /** The data of a successful answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  get(path: string): Promise<any>;
  /** The same; undefined where there is nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  find(path: string): Promise<any>;
  /** The data of a successful answer to a question that is asked with POST. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ask(path: string, body: object): Promise<any>;
  download(path: string): Promise<Buffer>;
  /** All items of a paged listing, page by page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  walk(path: string): Promise<any[]>;
  /** Repeats a write of this key that was answered; says what is other than before, where anything is. */
  repeat(entry: Entry): Promise<string | undefined>;
  /** Repeats what was answered, and fails unless the answers are the same bytes again. */
  replay(most: number): Promise<void>;
}

/** A request that takes longer hangs. */
const HANG_MS = 300_000;
const RETRY_MS = 30;
const TWINS = 0.1;

export function makeActor(cluster: Cluster, key: string, random: Random): Actor {
  const kept: Entry[] = [];
  const fetchOnce = (method: string, path: string, init: RequestInit = {}) =>
    fetch(`${cluster.address(random)}${path}`, {
      ...init,
      method,
      headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
      signal: AbortSignal.timeout(HANG_MS),
    });

  /** Undefined when the answer was lost, or says that the storage is away. */
  const send = (write: Write, idempotencyKey: string) =>
    unlessLost(async () => {
      const response = await fetchOnce(write.method, write.path, initOf(write, idempotencyKey));
      const text = await response.text();
      const { status } = response;
      const said = `${write.method} ${write.path}: ${status} ${text}`;
      if ([503, 507].includes(status) && cluster.mayBeAway) return undefined;
      assert.ok(status < 500, said);
      const replayed = response.headers.get('idempotency-replayed') === 'true';
      return { status, text, replayed, data: text ? JSON.parse(text).data : undefined };
    });

  const read = <T>(
    path: string,
    take: (response: Response) => Promise<T>,
    { asked, expected = [200] }: { asked?: object | undefined; expected?: readonly number[] } = {},
  ): Promise<T> =>
    untilAnswered(cluster, () =>
      unlessLost(async () => {
        const response = await (asked
          ? fetchOnce('POST', path, initOf({ body: asked }, randomUUID()))
          : fetchOnce('GET', path));
        if (response.status === 503 && cluster.mayBeAway) return void (await response.text());
        if (!expected.includes(response.status))
          assert.fail(`${path}: ${response.status} ${await response.text()}`);
        return take(response);
      }),
    );
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const readJson = (path: string, asked?: object): Promise<any> =>
    read(path, (response) => response.json(), { asked });

  /** The same request twice at once: it happens once, and both hear the same. */
  const sendTwins = async (write: Write, idempotencyKey: string) => {
    const answers = await Promise.all([send(write, idempotencyKey), send(write, idempotencyKey)]);
    const [one, other] = answers;
    if (!one || !other) return one ?? other;
    if (!isKept(one) && !isKept(other)) return one;
    assert.equal(one.text, other.text, `twins of ${write.method} ${write.path}`);
    assert.notEqual(one.replayed, other.replayed, `twins of ${write.method} ${write.path}`);
    return one.replayed ? other : one;
  };

  // It may be lost again, and done by then: so each time it is looked at anew.
  const retry = async (write: Write, idempotencyKey: string, effects?: Effects): Promise<Answer> => {
    await cluster.whenServing();
    const seen = cluster.canLook ? await effects?.() : undefined;
    const what = `${write.method} ${write.path} after a loss (key ${idempotencyKey})`;
    if (seen) assert.equal(new Set(seen).size, 1, `${what}: done by half: ${seen}`);
    const answer = await send(write, idempotencyKey);
    if (!answer) {
      await pause(RETRY_MS);
      return retry(write, idempotencyKey, effects);
    }
    if (seen && isSuccess(answer))
      assert.equal(answer.replayed, seen[0], `${what}: seen ${seen[0]}, replayed ${answer.replayed}`);
    return answer;
  };

  const write = async (wanted: Write, effects?: Effects) => {
    const idempotencyKey = randomUUID();
    const first = await (random.chance(TWINS) ? sendTwins : send)(wanted, idempotencyKey);
    if (!first) cluster.losses++;
    const answer = first ?? (await retry(wanted, idempotencyKey, effects));
    if (isKept(answer)) {
      const entry = { write: wanted, key, idempotencyKey, status: answer.status, text: answer.text };
      kept.push(entry);
      await cluster.ledger?.keep(entry);
    }
    return answer;
  };

  const repeat = async ({ write: again, idempotencyKey, status, text }: Entry) => {
    const answer = await untilAnswered(cluster, () => send(again, idempotencyKey));
    if (answer.status === status && answer.text === text && answer.replayed) return undefined;
    const said = `${answer.status} ${answer.text}, replayed: ${answer.replayed}`;
    return `${again.method} ${again.path} (key ${idempotencyKey}) was answered ${status} ${text}, now ${said}`;
  };

  return {
    random,
    key,
    get acknowledged() {
      return kept.length;
    },
    write,
    must: async (wanted, effects) => {
      const answer = await write(wanted, effects);
      assert.ok(isSuccess(answer), `${wanted.method} ${wanted.path}: ${answer.status} ${answer.text}`);
      return answer;
    },
    get: async (path) => (await readJson(path)).data,
    find: async (path) => {
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
      const { data }: any = await read(path, (response) => response.json(), { expected: [200, 404] });
      return data;
    },
    ask: async (path, body) => (await readJson(path, body)).data,
    download: (path) => read(path, async (response) => Buffer.from(await response.arrayBuffer())),
    walk: async (path) => {
      const items = [];
      const limit = 1 + random.int(100);
      for (let cursor = ''; ; ) {
        const query = `limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
        const { data, pagination } = await readJson(`${path}${path.includes('?') ? '&' : '?'}${query}`);
        items.push(...data);
        assert.equal(pagination.has_more, data.length === limit, `${path}: the page is full or the last`);
        if (!pagination.has_more) return items;
        cursor = pagination.next_cursor;
      }
    },
    repeat,
    replay: async (most) => {
      for (const entry of sampleOf(kept, most, random)) assert.equal(await repeat(entry), undefined);
    },
  };
}

function initOf({ body, headers }: Pick<Write, 'body' | 'headers'>, idempotencyKey: string): RequestInit {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  return {
    headers: {
      'idempotency-key': idempotencyKey,
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: (isJson ? JSON.stringify(body) : body) as string }),
  };
}

/** What fetch throws when the connection breaks is a TypeError; all else is a finding. */
async function unlessLost<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function untilAnswered<T>(cluster: Cluster, ask: () => Promise<T | undefined>): Promise<T> {
  const until = performance.now() + HANG_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    assert.ok(performance.now() < until, 'no node answers');
    await cluster.whenServing();
    await pause(RETRY_MS);
  }
}

/** "Stored: every answer of an operation that ran." */
function isKept({ status }: Answer): boolean {
  return status < 300 || [404, 409, 410, 412, 422].includes(status);
}

function isSuccess({ status }: Answer): boolean {
  return status < 300;
}

function sampleOf<T>(list: readonly T[], most: number, random: Random): readonly T[] {
  return list.length <= most ? list : Array.from({ length: most }, () => random.pick(list));
}
