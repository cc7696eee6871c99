import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../bench/mail/random.ts';
import { operationsOf } from '../src/app.ts';
import { data } from './areas/accounts.ts';
import { assertDeclared } from './declared.ts';
import { forEachEngine } from './engines.ts';
import { type Declared, operationsIn } from './fuzz/document.ts';
import { Known } from './fuzz/known.ts';
import { mutate } from './fuzz/mutations.ts';
import { asCurl, type FuzzRequest, urlOf, validRequest } from './fuzz/requests.ts';
import { Values } from './fuzz/values.ts';
import { workingRequest } from './fuzz/working-requests.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { createObjects } from './refusals/world.ts';

/** More with ATRIUM_FUZZ_REQUESTS, others with another ATRIUM_FUZZ_SEED. One comes after the other, so that a seed tells all. */
const REQUESTS = Number(process.env.ATRIUM_FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 1);
/** More than the slowest answer takes on a busy machine; a hang is longer. */
const PATIENCE_MS = 120_000;
/** Requests between which objects that working requests are made of are made anew: some trash them. */
const OBJECTS_LAST = 200;
/** What is refused before it is known whose operation it is: a path that is no text, a head that is too large. */
const REFUSED_BEFORE_ROUTING = new Set(['malformed_request', 'headers_too_large']);

forEachEngine((engine) => {
  describe('requests that nobody thought of', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it(`are answered as declared, and never with a 5xx (seed ${SEED})`, async (t) => {
      const keys = data(await app.get('/v1/api-keys'));
      const random = new Random(SEED);
      const known = new Known(random, new Set(keys.map(({ id }: { id: string }) => id)));
      const values = new Values(random, known);
      const operations = operationsIn((await app.get('/v1/openapi.json')).json);
      for (const path of ['/v1/folders', '/v1/users/me', '/v1/address-books', '/v1/calendars'])
        known.learn(data(await app.get(path)));
      const me = known.id('usr');
      let objects = await createObjects(app, me, OWNER_KEY);
      const statuses = new Map<number, number>();
      const succeeded = new Set<string>();
      for (let sent = 1; sent <= REQUESTS; sent++) {
        if (sent % OBJECTS_LAST === 0) objects = await createObjects(app, me, OWNER_KEY);
        const operation = random.of(operations);
        const request = random.chance(0.5)
          ? workingRequest(operation, objects)
          : validRequest(operation, random, values, known);
        if (random.chance(0.5)) mutate(request, random, known);
        const status = await ask(app, request, known);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status < 300) succeeded.add(operation.id);
      }
      report(t.diagnostic.bind(t), operations, statuses, succeeded);
      assert.ok(succeeded.size > operations.length * 0.9, 'too few requests were good ones');
    });
  });
});

async function ask(app: TestApp, request: FuzzRequest, known: Known): Promise<number> {
  const { operation, headers, body } = request;
  const sendsBody = body !== undefined && operation.method !== 'GET';
  const fail = (what: string) => assert.fail(`${what}\n${asCurl(app.address, request)}`);
  const response = await fetch(app.address + urlOf(request), {
    method: operation.method,
    headers,
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(sendsBody && { body: body as string | Uint8Array<ArrayBuffer> }),
  }).catch((error: Error) => fail(`No answer: ${error.message} ${error.cause}`));
  const text = await response.text();
  if (response.status >= 500) fail(`${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const json = isJson && text !== '' ? JSON.parse(text) : undefined;
  const path = new URL(app.address + urlOf(request)).pathname;
  if (response.status !== 304 && !REFUSED_BEFORE_ROUTING.has(json?.error?.code)) {
    try {
      assertDeclared(operationsOf(app.product), operation.method, path, response.status, json);
    } catch (error) {
      fail(`${(error as Error).message}\n${response.status} ${text.slice(0, 500)}`);
    }
  }
  if (response.status < 300) {
    known.learn(json);
    known.learn(response.headers.get('etag') ?? '');
  }
  return response.status;
}

function report(
  say: (text: string) => void,
  operations: readonly Declared[],
  statuses: ReadonlyMap<number, number>,
  succeeded: ReadonlySet<string>,
): void {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  say(counts.join(', '));
  const never = operations.filter(({ id }) => !succeeded.has(id)).map(({ id }) => id);
  say(`${succeeded.size} of ${operations.length} operations succeeded at times; never ${never.join(', ')}`);
}
