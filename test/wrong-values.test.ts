/**
 * Holds that services themselves refuse what is fatal, so that nothing depends on the checks of a schema alone: a value
 * outside of its closed set, a number outside of its range, a truth that is none.
 */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { TSchema } from 'typebox';
import { isWrite, type Operation } from '../src/api/operation.ts';
import { type RawInput, RequestValidator } from '../src/api/validation.ts';
import { operationsOf } from '../src/app.ts';
import { forEachEngine } from './engines.ts';
import { EXAMPLES } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, storedState, type World } from './refusals/world.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

interface Keywords {
  type?: string;
  enum?: readonly unknown[];
  properties?: Record<string, Keywords>;
  items?: Keywords;
  anyOf?: readonly Keywords[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
}

/** A wrong value and where it goes: the names and places on the way to it. */
interface Wrong {
  at: readonly (string | number)[];
  value: unknown;
}

/** Wrong values for everything that a schema describes; of an array, in its first item. */
function wrongValues(schema: TSchema | Keywords | undefined, at: Wrong['at'] = []): Wrong[] {
  const { type, enum: values, properties, items, anyOf = [], minimum, maximum } = (schema ?? {}) as Keywords;
  const here = (...wrong: unknown[]): Wrong[] => wrong.map((value) => ({ at, value }));
  if (values) return here('none_of_these', '', 5);
  if (type === 'integer' || type === 'number')
    return here(
      'text',
      ...(type === 'integer' ? [1.5] : []),
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(maximum === undefined ? [] : [maximum + 1]),
    );
  if (type === 'boolean') return here('text', 2);
  if (type === 'string') return here(5, { a: 1 });
  return [
    ...anyOf.flatMap((alternative) => wrongValues(alternative, at)),
    ...(items ? wrongValues(items, [...at, 0]) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => wrongValues(member, [...at, name])),
  ];
}

/** The body with a value in its place; what is missing on the way is made. */
function withValue(body: unknown, [step, ...rest]: Wrong['at'], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(body) ? body : [];
    return [withValue(list[step], rest, value), ...list.slice(1)];
  }
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return { ...members, [step]: withValue(members[step], rest, value) };
}

let wrongQuery: Record<string, unknown> = {};

/** Takes every request for valid, with these members of its query. */
function passEverything(): void {
  mock.method(RequestValidator.prototype, 'read', ({ params, query, body }: RawInput) => {
    const asked = { ...query, ...wrongQuery };
    return { params, query: asked, body, problems: [], fitting: { query: asked, body: body ?? {} } };
  });
}

forEachEngine((engine) => {
  describe('a service refuses what no schema has', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
      passEverything();
    });
    after(async () => {
      mock.restoreAll();
      await world.app.stop();
    });

    const send = async (operation: Operation, query: Record<string, unknown>, wrong?: Wrong) => {
      const example = EXAMPLES[operation.id];
      assert.ok(example);
      const { path, options } = validRequest(operation, example, world.mine);
      const body = wrong ? { body: withValue(options.body, wrong.at, wrong.value) as object } : {};
      wrongQuery = query;
      try {
        return await world.app.request(operation.method, path, { ...options, ...body });
      } finally {
        wrongQuery = {};
      }
    };

    for (const operation of operations) {
      const inBody = wrongValues(operation.body);
      const inQuery = wrongValues(operation.query);
      if (inBody.length + inQuery.length === 0) continue;

      test(`in ${operation.id}`, async () => {
        const before = await storedState(world.app.product.database);
        const passed: string[] = [];
        const look = async (where: string, value: unknown, answer: ReturnType<typeof send>) => {
          const { status, text } = await answer;
          if (status < 400 || status > 499)
            passed.push(`${where} ${JSON.stringify(value)}: ${status} ${text.slice(0, 80)}`);
        };
        for (const wrong of inBody)
          await look(`/${wrong.at.join('/')}`, wrong.value, send(operation, {}, wrong));
        for (const { at, value } of inQuery)
          await look(`?${at.join()}`, value, send(operation, { [String(at[0])]: value }));
        assert.deepEqual(passed, []);
        if (isWrite(operation)) assert.equal(await storedState(world.app.product.database), before);
      });
    }
  });
});
