import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { SchemaCheck } from '../../src/contract/validation.ts';
import { operationsOf } from '../../src/start/server.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

/** Keywords that the walk reads itself, and those of single values, which the library reads. */
const WALKED = [
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'anyOf',
  'x-unknown-fields',
];
const LISTS = ['items', 'minItems', 'maxItems', 'uniqueItems'];
const SINGLE = ['type', 'enum', 'minLength', 'maxLength', 'pattern', 'format', 'not', 'minimum', 'maximum'];
const EXPLAINING = ['description', 'examples', 'default', 'title', 'x-wanted'];
const KNOWN = new Set([...WALKED, ...LISTS, ...SINGLE, ...EXPLAINING]);

function* schemasWithin(schema: TSchema): Generator<TSchema> {
  yield schema;
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  for (const child of [...Object.values(properties), ...(items ? [items] : []), ...anyOf]) {
    yield* schemasWithin(child);
  }
}

const declared = operations.flatMap(({ id, body, query }) =>
  [body, query].flatMap((schema) =>
    schema ? [...schemasWithin(schema)].map((s) => ({ id, schema: s })) : [],
  ),
);

test('declarations of bodies and queries use only the keywords that the walk knows', () => {
  assert.ok(declared.length > 100);
  for (const { id, schema } of declared) {
    for (const keyword of Object.keys(schema)) assert.ok(KNOWN.has(keyword), `${id} uses ${keyword}`);
  }
});

test('every object of a body or a query refuses unknown members, but for metadata (API-7)', () => {
  const open = declared.filter(({ schema }) => {
    const { type, additionalProperties } = schema as { type?: string; additionalProperties?: unknown };
    return type === 'object' && additionalProperties !== false;
  });
  assert.deepEqual([...new Set(open.map(({ id }) => id))], ['createDocument', 'updateDocument']);
});

const Person = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 5, pattern: '^[a-z]*$' }),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3, uniqueItems: true })),
  },
  { additionalProperties: false },
);
const People = Type.Object({ people: Type.Array(Person, { minItems: 1 }) }, { additionalProperties: false });

const unknownMembers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
const told = (schema: TSchema, value: unknown) =>
  new SchemaCheck(schema).violations(value).map(({ pointer, code }) => `${pointer} ${code}`);

test('a value that fits has no violations', () => {
  assert.deepEqual(told(People, { people: [{ name: 'ada', tags: ['x', 'y'] }] }), []);
});

test('every problem of a value is told once, each with its place', () => {
  const value = {
    people: [{ name: 'ada', x: 1 }, { tags: [1, 'a'] }, { name: 'ADA', tags: ['a', 'a'] }, 5],
    y: 1,
  };
  assert.deepEqual(told(People, value), [
    '/y unknown_field',
    '/people/0/x unknown_field',
    '/people/1/name required',
    '/people/1/tags/0 wrong_type',
    '/people/2/name wrong_format',
    '/people/2/tags duplicate',
    '/people/3 wrong_type',
  ]);
});

test('a wrong value with any number of unknown members beside it is refused', () => {
  for (const count of [0, 1, 7, 8, 9, 999, 1_000, 1_001, 5_000, 60_000]) {
    for (const value of [
      { ...unknownMembers(count), people: 5 },
      { people: [{ name: 5, ...unknownMembers(count) }] },
      { people: Array(count + 1).fill({ name: 5 }) },
      { people: [{ name: 'ada', tags: Array(count + 4).fill(5) }] },
    ]) {
      const violations = told(People, value);
      assert.ok(violations.length > 0, `${count}`);
      assert.ok(violations.length <= 1_001, `${count}`);
    }
  }
});

test('of more than a thousand problems the rest is told as one (API-32)', () => {
  assert.equal(told(People, { people: Array(999).fill(5) }).at(-1), '/people/998 wrong_type');
  assert.equal(told(People, { people: Array(1_000).fill(5) }).at(-1), '/people/999 wrong_type');
  assert.equal(told(People, { people: Array(1_001).fill(5) }).at(-1), ' too_many');
});

test('a list that is too long is refused without a look at what it holds (API-32)', () => {
  assert.deepEqual(told(Person, { name: 'ada', tags: Array(250_000).fill(5) }), ['/tags too_many']);
});

test('a value that the walk has nothing against is refused where the validator refuses it', () => {
  const beyondTheWalk = { type: 'object', properties: {}, propertyNames: { pattern: '^a' } } as TSchema;
  assert.deepEqual(told(beyondTheWalk, { b: 1 }), [' invalid']);
});

test('of alternatives, what is told is wrong with the one that the value is meant as', () => {
  const Add = Type.Object(
    { type: Type.Enum(['add']), count: Type.Integer({ minimum: 1 }) },
    { additionalProperties: false },
  );
  const Drop = Type.Object(
    { type: Type.Enum(['drop']), name: Type.String() },
    { additionalProperties: false },
  );
  const Either = Type.Union([Add, Drop, Type.String({ maxLength: 3 })]);
  assert.deepEqual(told(Either, { type: 'add', count: 0, x: 1 }), ['/x unknown_field', '/count too_small']);
  assert.deepEqual(told(Either, { type: 'drop' }), ['/name required']);
  assert.deepEqual(told(Either, 'long'), [' too_long']);
  assert.deepEqual(told(Either, { type: 'other', ...unknownMembers(5_000) }), [' invalid']);
  assert.deepEqual(told(Either, null), [' invalid']);
});
