import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../bench/mail/random.ts';
import type { Operation } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';
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

/**
 * More with ATRIUM_FUZZ_REQUESTS, or as many as ATRIUM_FUZZ_SECONDS are enough for; others with another ATRIUM_FUZZ_SEED.
 * One comes after the other, so that a seed tells all.
 */
const REQUESTS = Number(process.env.ATRIUM_FUZZ_REQUESTS ?? 2_000);
const SECONDS = Number(process.env.ATRIUM_FUZZ_SECONDS);
const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 1);
/** More than the slowest answer takes on a busy machine; a hang is longer. */
const PATIENCE_MS = 120_000;
/** Requests between which objects that working requests are made of are made anew: some trash them. */
const OBJECTS_LAST = 200;
/** An operation that was asked for so often has been asked for well. */
const OFTEN = 10;
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
      // Once: what an operation declares is compiled for each object of it.
      const declared = operationsOf(app.services);
      const heard: Heard[] = [];
      const goesOn = bound();
      for (let sent = 1; goesOn(sent); sent++) {
        if (sent % OBJECTS_LAST === 0) objects = await createObjects(app, me, OWNER_KEY);
        const operation = random.of(operations);
        const request = random.chance(0.5)
          ? workingRequest(operation, objects)
          : validRequest(operation, random, values, known);
        if (random.chance(0.5)) mutate(request, random, known);
        heard.push({ operation, status: await ask(app, declared, request, known) });
      }
      const { often, never } = countOf(heard, t.diagnostic.bind(t));
      assert.ok(never.length <= often.length * 0.1, `never answered well: ${never.join(', ')}`);
    });
  });
});

/** An answer, and of which operation. */
interface Heard {
  operation: Declared;
  status: number;
}

/** Whether there is to be a request more than so many. */
function bound(): (sent: number) => boolean {
  if (Number.isNaN(SECONDS)) return (sent) => sent <= REQUESTS;
  const until = performance.now() + SECONDS * 1_000;
  return () => performance.now() < until;
}

async function ask(
  app: TestApp,
  declared: readonly Operation[],
  request: FuzzRequest,
  known: Known,
): Promise<number> {
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
      const { status, headers } = response;
      assertDeclared(declared, operation.method, path, { status, json, headers });
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

/** Says what was heard. Answers the operations that were asked for often, and those of them that never succeeded. */
function countOf(heard: readonly Heard[], say: (text: string) => void): { often: string[]; never: string[] } {
  const byStatus = Map.groupBy(heard, ({ status }) => status);
  const counts = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, { length }]) => `${status}: ${length}`);
  say(`${heard.length} requests. ${counts.join(', ')}`);
  const byOperation = [...Map.groupBy(heard, ({ operation }) => operation.id)];
  const often = byOperation.filter(([, answers]) => answers.length >= OFTEN);
  const never = often.filter(([, answers]) => answers.every(({ status }) => status >= 300));
  return { often: often.map(([id]) => id), never: never.map(([id]) => id) };
}
