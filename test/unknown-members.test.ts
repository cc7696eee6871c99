/** Holds that no number of unknown members makes an operation take a request, whatever else is wrong with it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TSchema } from 'typebox';
import type { Operation } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';
import { ANY_ENGINE } from './engines.ts';
import { EXAMPLES, type Example } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, storedState, type World } from './refusals/world.ts';

const COUNTS = [0, 1, 999, 1_000, 1_001, 5_000];
/** The HTTP server takes 16 KiB of a request's head: more parameters than this are refused by it. */
const MOST_PARAMETERS = 2_000;

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const UNKNOWN = new Map(
  COUNTS.map((count) => [count, Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))]),
);

function withUnknown(value: Members, count: number): Members {
  return { ...value, ...UNKNOWN.get(count) };
}

/** The body with one object of it, wherever it stands, replaced: one body for each object that refuses unknown members. */
function* replacedObjects(
  schema: TSchema,
  value: unknown,
  replace: (object: Members) => Members,
): Generator<unknown> {
  const { properties, additionalProperties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    additionalProperties?: unknown;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (isObject(value) && additionalProperties === false) yield replace(value);
  if (isObject(value)) {
    for (const [name, member] of Object.entries(properties ?? {})) {
      if (!(name in value)) continue;
      for (const replaced of replacedObjects(member, value[name], replace))
        yield { ...value, [name]: replaced };
    }
  }
  if (Array.isArray(value) && items) {
    for (const replaced of replacedObjects(items, value[0], replace)) yield [replaced, ...value.slice(1)];
  }
  const [alternative] = properties ? [] : (anyOf ?? []);
  if (alternative) yield* replacedObjects(alternative, value, replace);
}

/** The object with its first member of a type that none of them takes. */
function withWrongMember(object: Members): Members {
  const [name = 'missing'] = Object.keys(object);
  return { ...object, [name]: { wrong: [null] } };
}

/** Bodies that must be refused: a number of unknown members in each object, beside what is right and what is wrong. */
function badBodies({ body: schema }: Operation, example: Example, world: World): unknown[] {
  const valid = example.body?.(world.mine);
  if (!schema || !valid) return [];
  return COUNTS.flatMap((count) => [
    ...(count === 0 ? [] : replacedObjects(schema, valid, (object) => withUnknown(object, count))),
    ...replacedObjects(schema, valid, (object) => withUnknown(withWrongMember(object), count)),
    ...replacedObjects(schema, valid, (object) => ({
      ...withUnknown({}, count),
      ...withWrongMember(object),
    })),
    Array(count).fill(withUnknown({}, 1)),
  ]);
}

function badQueries({ paging }: Operation): string[] {
  const wrong = paging ? ['limit=-1'] : [];
  return COUNTS.filter((count) => count > 0).flatMap((count) => {
    const unknown = Array.from({ length: Math.min(count, MOST_PARAMETERS) }, (_, i) => `k${i}=`).join('&');
    return [unknown, ...wrong.flatMap((query) => [`${query}&${unknown}`, `${unknown}&${query}`])];
  });
}

// They are refused before a transaction begins: nothing of it depends on the engine.
describe('a request with unknown members', () => {
  let world: World;
  before(async () => {
    world = await createWorld(ANY_ENGINE);
  });
  after(() => world.app.stop());

  for (const operation of operations) {
    const example = EXAMPLES[operation.id];
    if (!example) continue;

    test(`is refused by ${operation.id} and changes nothing, however many they are (API-7)`, async () => {
      const { path, options } = validRequest(operation, example, world.mine);
      const separator = path.includes('?') ? '&' : '?';
      const requests = [
        ...badBodies(operation, example, world).map((body) => ({ path, options: { ...options, body } })),
        ...badQueries(operation).map((query) => ({ path: `${path}${separator}${query}`, options })),
      ];
      const before = await storedState(world.app.services.database);
      for (const request of requests) {
        const { status, text } = await world.app.request(operation.method, request.path, request.options);
        assert.equal(status, 400, `${request.path.slice(0, 200)}: ${text.slice(0, 500)}`);
      }
      assert.equal(await storedState(world.app.services.database), before, 'a refusal has changed something');
    });
  }
});
