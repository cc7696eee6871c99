/**
 * Holds that services themselves refuse what is fatal, so that nothing depends on the checks of a schema alone: a value
 * outside of its closed set, a number outside of its range, a truth that is none.
 */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { isWrite, type Operation } from '../src/contract/operation.ts';
import { type RawInput, RequestValidator } from '../src/contract/validation.ts';
import { operationsOf } from '../src/start/server.ts';
import { forEachEngine } from './engines.ts';
import { EXAMPLES } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, type Objects, storedState, type World } from './refusals/world.ts';

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

/** Any objects: what kind of value each place takes does not depend on them. */
const EXAMPLE_OBJECTS = new Proxy({} as Objects, { get: (_, name) => String(name) });

/** The body of a valid request, with more members where the example has few. */
function bodyOf({ id }: Operation, of: Objects): object | undefined {
  const body = EXAMPLES[id]?.body?.(of);
  return body && { ...body, ...(WITH_HOURS.includes(id) && { working_hours: WORKING_HOURS }) };
}

const WITH_HOURS = ['createUser', 'findTime', 'updateUser'];
const WORKING_HOURS = [{ days: [1], start: '09:00', end: '17:00' }];

/** A wrong value and where it goes: the names and places on the way to it. */
interface Wrong {
  at: readonly (string | number)[];
  value: unknown;
  /** Of what type it should be. */
  type: string;
}

/** Wrong values for everything that a schema describes; of an array, in its first item. */
function wrongValues(
  schema: TSchema | Keywords | undefined,
  example: unknown,
  at: Wrong['at'] = [],
): Wrong[] {
  const { type, enum: values, properties, items, anyOf = [], minimum, maximum } = (schema ?? {}) as Keywords;
  const here = (...wrong: unknown[]): Wrong[] =>
    wrong.map((value) => ({ at, value, type: values ? 'enum' : String(type) }));
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
    ...wrongAmong(anyOf, example, at),
    ...(items ? wrongValues(items, memberOf(example, 0), [...at, 0]) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) =>
      wrongValues(member, memberOf(example, name), [...at, name]),
    ),
  ];
}

/** Of several alternatives: what none of them is; of objects, of the one that the example is. */
function wrongAmong(alternatives: readonly Keywords[], example: unknown, at: Wrong['at']): Wrong[] {
  const fitting = alternatives.find((one) => one.type !== 'object' || Check(one as TSchema, example));
  const isNone = ({ value }: Wrong) => !alternatives.some((one) => Check(one as TSchema, value));
  return fitting
    ? wrongValues(fitting, example, at).filter((wrong) => wrong.at.length > at.length || isNone(wrong))
    : [];
}

function memberOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** A query has nothing but texts, and what is read by one of them is not told from another truth. */
function isFatalInQuery(operation: Operation, type: string): boolean {
  return type !== 'string' && (type !== 'boolean' || isWrite(operation));
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
      const given = bodyOf(operation, world.mine);
      const body = wrong ? { body: withValue(given, wrong.at, wrong.value) as object } : {};
      wrongQuery = query;
      try {
        return await world.app.request(operation.method, path, { ...options, ...body });
      } finally {
        wrongQuery = {};
      }
    };

    for (const operation of operations) {
      const inBody = wrongValues(operation.body, bodyOf(operation, EXAMPLE_OBJECTS));
      const inQuery = wrongValues(operation.query, {}).filter(({ type }) => isFatalInQuery(operation, type));
      if (inBody.length + inQuery.length === 0) continue;

      test(`${operation.id} refuses what no schema has, and stores nothing`, async () => {
        const before = await storedState(world.app.services.database);
        const passed: string[] = [];
        const look = async (where: string, { value, type }: Wrong, answer: ReturnType<typeof send>) => {
          const { status, text } = await answer;
          // What looks further into a request takes a text for one: it may fail, and nothing is stored then.
          if (status < 400 || (status > 499 && type !== 'string'))
            passed.push(`${where} ${JSON.stringify(value)}: ${status} ${text.slice(0, 80)}`);
        };
        for (const wrong of inBody) await look(`/${wrong.at.join('/')}`, wrong, send(operation, {}, wrong));
        for (const wrong of inQuery) {
          const [name = '', ...place] = wrong.at;
          const value = place.length === 0 ? wrong.value : [wrong.value];
          await look(`?${name}`, wrong, send(operation, { [name]: value }));
        }
        assert.deepEqual(passed, []);
        if (isWrite(operation)) assert.equal(await storedState(world.app.services.database), before);
      });
    }
  });
});
