/** What people and programs are told of each rule that a value breaks, and what of a value is taken for fitting. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { lineOfText, NOT_BLANK } from '../../src/contract/storable-text.ts';
import { SchemaCheck } from '../../src/contract/validation.ts';
import { UNKNOWN_FIELDS } from '../../src/contract/violations.ts';
import { WANTED } from '../../src/contract/wanted.ts';

const Short = Type.String({ minLength: 2, maxLength: 3, pattern: '^[a-z]{2,3}$', examples: ['abc'] });
const Name = Type.String({ pattern: '^[a-z]+$', description: 'Small letters.' });
const Count = Type.Integer({ minimum: 1, maximum: 5, description: 'How many.' });
const Open = Type.Number({ exclusiveMinimum: 1, exclusiveMaximum: 5 });
const List = Type.Array(Type.String(), { minItems: 1, maxItems: 2 });
const Members = { a: Type.Optional(Type.String()), b: Type.Optional(Type.String()) };
const OneOfTwo = Type.Object(Members, {
  anyOf: [{ required: ['a'] }, { required: ['b'] }],
  description: 'a, b or both.',
});

/** Each rule with values that break it, and the code and the message that tell of it. */
const BROKEN: [schema: TSchema, values: unknown[], code: string, message: string][] = [
  [Short, ['', 'a'], 'too_short', 'Give a string of 2 to 3 characters, such as "abc".'],
  [Short, ['abcd', 'ABCD'], 'too_long', 'Give a string of 2 to 3 characters, such as "abc".'],
  [Short, ['ABC'], 'wrong_format', 'Give a string of the form of "abc".'],
  [Name, ['A', ''], 'wrong_format', 'Give what the reference describes.'],
  [Name, [5], 'wrong_type', 'Give a string.'],
  [Type.String({ pattern: '^a$' }), ['b'], 'wrong_format', 'Give what the reference describes.'],
  [
    Type.String({ format: 'date-time', description: 'A time.' }),
    ['x'],
    'wrong_format',
    'Give a date, a time and an offset.',
  ],
  [
    { type: 'string', not: { pattern: '^ ' }, description: 'No blank.' } as TSchema,
    [' x'],
    'wrong_format',
    'Give what the reference describes.',
  ],
  [Count, [0, -1], 'too_small', 'Give a whole number from 1 to 5.'],
  [Count, [6], 'too_large', 'Give a whole number from 1 to 5.'],
  [Count, [1.5, '1', null], 'wrong_type', 'Give a whole number from 1 to 5.'],
  [Open, [1], 'too_small', 'Give a number above 1 and below 5.'],
  [Open, [5], 'too_large', 'Give a number above 1 and below 5.'],
  [Type.Enum(['red', 'blue']), ['green', 5], 'not_allowed', 'Give one of: red, blue.'],
  [Type.Literal('x'), ['y'], 'not_allowed', 'Give "x".'],
  [List, [[]], 'too_few', 'Give an array of 1 to 2 items, such as ["text"].'],
  [List, [['a', 'b', 'c']], 'too_many', 'Give an array of 1 to 2 items, such as ["text"].'],
  [List, [{}, 'a'], 'wrong_type', 'Give an array of 1 to 2 items, such as ["text"].'],
  [
    Type.Array(Type.Unknown(), { uniqueItems: true }),
    [
      ['a', 'b', 'a'],
      [{ a: 1 }, { a: 1 }],
    ],
    'duplicate',
    'Give each item once.',
  ],
  [
    Type.Object(Members, { minProperties: 1 }),
    [{}],
    'too_few',
    'Give at least one of: a, b, such as {"a":"text"}.',
  ],
  [Type.Object(Members), [[], 'a', null], 'wrong_type', 'Give an object.'],
  [OneOfTwo, [{}, { c: 1 }], 'invalid', 'Give at least one of: a, b, such as {"a":"text"}.'],
  [
    Type.Union([Type.String(), Type.Null()]),
    [5],
    'invalid',
    'Give a string or null, such as "text" or null.',
  ],
  [
    { type: 'object', properties: {}, propertyNames: { pattern: '^a' } } as TSchema,
    [{ b: 1 }],
    'invalid',
    'Give what the reference describes.',
  ],
];

describe('of a broken rule', () => {
  for (const [schema, values, code, message] of BROKEN) {
    test(`the message is: ${message}`, () => {
      for (const value of values) {
        assert.deepEqual(new SchemaCheck(schema).violations(value), [{ pointer: '', code, message }]);
      }
    });
  }

  const FITTING: [TSchema, unknown[]][] = [
    [Short, ['ab', 'abc']],
    [Count, [1, 5]],
    [List, [['a'], ['a', 'a']]],
    [Type.Array(Type.Unknown(), { uniqueItems: true }), [[], [1, '1', { a: 1 }, { a: 2 }]]],
    [Type.Object(Members, { minProperties: 1 }), [{ a: 'x' }, { a: 'x', b: 'x' }]],
    [OneOfTwo, [{ a: 'x' }, { b: 'x' }, { a: 'x', b: 'x' }]],
  ];
  test('nothing is told where none is broken', () => {
    for (const [schema, values] of FITTING)
      for (const value of values) assert.deepEqual(new SchemaCheck(schema).violations(value), []);
  });

  test('the place is told as a JSON pointer', () => {
    const schema = Type.Object({ a: Type.Array(Type.Object({ 'b/c~d': Count }), { minItems: 1 }) });
    assert.deepEqual(new SchemaCheck(schema).violations({ a: [{ 'b/c~d': 1 }, { 'b/c~d': 0 }, {}] }), [
      { pointer: '/a/1/b~1c~0d', code: 'too_small', message: 'Give a whole number from 1 to 5.' },
      {
        pointer: '/a/2/b~1c~0d',
        code: 'required',
        message: 'b/c~d is required. Give a whole number from 1 to 5.',
      },
    ]);
  });

  test('each item of a list with several problems is told', () => {
    const schema = Type.Array(Count, { minItems: 3, uniqueItems: true });
    assert.deepEqual(
      new SchemaCheck(schema).violations([0, 0]).map(({ pointer, code }) => `${pointer} ${code}`),
      [' too_few', ' duplicate', '/0 too_small', '/1 too_small'],
    );
  });
});

/** The place and the code of each rule that a value breaks. */
function told(schema: TSchema, value: unknown): string[] {
  return new SchemaCheck(schema).violations(value).map(({ pointer, code }) => `${pointer} ${code}`);
}

describe('of a value with a wrong part', () => {
  test('a list that is just as long or as short as it may be is looked into', () => {
    assert.deepEqual(told(List, [5]), ['/0 wrong_type']);
    assert.deepEqual(told(List, ['a', 5]), ['/1 wrong_type']);
  });

  test('nothing is told of alternatives of which one fits', () => {
    assert.deepEqual(told(OneOfTwo, { a: 5 }), ['/a wrong_type']);
    const AorB = Type.Union([Type.String({ pattern: '^a' }), Type.String({ pattern: '^b' })]);
    const schema = Type.Object({ text: AorB, count: Count });
    assert.deepEqual(told(schema, { text: 'b', count: 0 }), ['/count too_small']);
    assert.deepEqual(told(schema, { text: 'c', count: 1 }), ['/text invalid']);
  });

  test('of several alternatives, the one is meant that is for its type', () => {
    const Role = Type.Union([Type.Enum(['viewer', 'editor']), Type.Null()]);
    assert.deepEqual(told(Role, 'owner'), [' not_allowed']);
    assert.deepEqual(told(Type.Union([List, Count]), ['a', 5]), ['/1 wrong_type']);
    assert.deepEqual(told(Type.Union([List, Count]), 0), [' too_small']);
    assert.deepEqual(told(Type.Union([List, Count]), true), [' invalid']);
  });

  test('of several objects, the one is meant that has the values of its closed sets', () => {
    const kinds = (name: string) => Type.Optional(Type.Enum([name]));
    const Either = Type.Union([
      Type.Object({ kind: kinds('count'), value: Count }),
      Type.Object({ kind: kinds('name'), value: Name }),
    ]);
    assert.deepEqual(told(Either, { kind: 'name', value: 5 }), ['/value wrong_type']);
    assert.deepEqual(told(Either, { kind: 'count', value: 0 }), ['/value too_small']);
    assert.deepEqual(told(Either, { value: 0 }), [' invalid']);
    assert.deepEqual(told(Either, Object.assign(Object.create({ kind: 'x' }), { value: 0 })), [' invalid']);
  });

  test('each keyword that a text breaks is told in its own words', () => {
    const violations = new SchemaCheck({ type: 'string', enum: ['a', 'b'] } as TSchema).violations(5);
    assert.deepEqual(
      violations.map(({ message }) => message),
      ['Give a string.', 'Give one of: a, b.'],
    );
  });

  test('a schema that the walk knows nothing of is asked for as a whole', () => {
    const asked: [object, unknown, string][] = [
      [{ type: 'object', propertyNames: { pattern: '^a' } }, { b: 1 }, 'Give what the reference describes.'],
      [{ properties: { a: { type: 'string' } } }, { a: 5 }, 'Give what the reference describes.'],
      [{ type: 'array', contains: { type: 'number' } }, ['a'], 'Give an array.'],
      [{ items: { type: 'string' } }, [5], 'Give what the reference describes.'],
      [{ type: 'string', anyOf: [{ pattern: '^a' }] }, 5, 'Give a string.'],
    ];
    for (const [schema, value, message] of asked) {
      const [first] = new SchemaCheck(schema as TSchema).violations(value);
      assert.deepEqual([first?.pointer, first?.message], ['', message]);
    }
  });
});

describe('of a text of the wrong form, the refusal says what is wanted and shows it', () => {
  const Time = Type.String({
    format: 'date-time',
    description: 'When it begins.',
    examples: ['2026-03-02T00:00:00Z'],
  });
  const Line = lineOfText(1, 9, { ...NOT_BLANK, description: 'A name.', examples: ['Ada'] });
  const Colour = Type.String({
    pattern: '^#[0-9a-f]{3}$',
    [WANTED]: 'Give a colour of the form #rgb',
    examples: ['#36c'],
  });
  const Field = Type.String({ pattern: '^(a|b:.+)$', description: 'A field.', examples: ['a', 'b:c'] });
  const Cell = Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: 'What a cell holds.',
  });
  const Step = Type.Union([
    Type.Object({
      kind: Type.Enum(['grow']),
      by: Type.Integer({ examples: [2] }),
      tags: Type.Array(Type.String()),
    }),
    Type.Object({ kind: Type.Enum(['shrink']), by: Type.Integer() }),
  ]);
  const SAID: [schema: TSchema, value: unknown, message: string][] = [
    [Time, '2026-11-30', 'Add a time and an offset, such as "2026-11-30T00:00:00Z".'],
    [Time, '2026-11-30T09:30:00', 'Add an offset, such as "2026-11-30T09:30:00Z".'],
    [Time, '2026-13-30', 'Give a date, a time and an offset, such as "2026-03-02T00:00:00Z".'],
    [Time, 'tomorrow', 'Give a date, a time and an offset, such as "2026-03-02T00:00:00Z".'],
    [Line, 'a\tb', 'Give a string without control characters, such as "Ada".'],
    [Line, ' ', 'Give a string that shows something, not only blanks, such as "Ada".'],
    [Colour, 'red', 'Give a colour of the form #rgb, such as "#36c".'],
    [Field, 'c', 'Give a string of the form of "a" or "b:c".'],
    [Cell, null, 'Give a string, a number, true or false, such as "text", 12.5 or true.'],
    [
      Step,
      { kind: 'rest' },
      'Give an object whose kind is one of: grow, shrink, such as {"kind":"grow","by":2,"tags":["text"]}.',
    ],
  ];
  for (const [schema, value, message] of SAID) {
    test(`the message about ${JSON.stringify(value)} is: ${message}`, () => {
      const [violation] = new SchemaCheck(schema).violations(value);
      assert.equal(violation?.message, message);
    });
  }
});

describe('of a member that is absent', () => {
  const Text = Type.String({ maxLength: 9, examples: ['Work'] });
  const SAID: [schema: TSchema, message: string][] = [
    [Text, 'Give a string of at most 9 characters, such as "Work".'],
    [Type.Enum(['red', 'blue']), 'Give one of: red, blue.'],
    [Type.Literal('x'), 'Give "x".'],
    [
      lineOfText(1, 9, { ...NOT_BLANK, examples: ['Ada'] }),
      'Give a string that shows something, not only blanks, such as "Ada".',
    ],
    [
      Type.String({ format: 'date-time', examples: ['2026-03-02T00:00:00Z'] }),
      'Give a date, a time and an offset, such as "2026-03-02T00:00:00Z".',
    ],
    [Type.Union([Type.String(), Type.Null()]), 'Give a string or null, such as "text" or null.'],
    [Type.Array(Text, { maxItems: 5 }), 'Give an array of at most 5 items, such as ["Work"].'],
    [Type.Object({ name: Text }), 'Give an object, such as {"name":"Work"}.'],
    [Type.Object({}), 'Give an object.'],
  ];
  for (const [schema, message] of SAID) {
    test(`it is told what is wanted: ${message}`, () => {
      assert.deepEqual(new SchemaCheck(Type.Object({ it: schema })).violations({}), [
        { pointer: '/it', code: 'required', message: `it is required. ${message}` },
      ]);
    });
  }
});

describe('of unknown members', () => {
  const violations = (options: object, value: object) =>
    new SchemaCheck(Type.Object({ a: Name }, { additionalProperties: false, ...options })).violations(value);

  test('each is told, before what is wrong with the others', () => {
    assert.deepEqual(violations({}, { x: 1, toString: 2 }), [
      { pointer: '/x', code: 'unknown_field', message: 'There is no field x here.' },
      { pointer: '/toString', code: 'unknown_field', message: 'There is no field toString here.' },
      { pointer: '/a', code: 'required', message: 'a is required. Give a string.' },
    ]);
  });

  test('is told why there are none, where the schema says so', () => {
    assert.deepEqual(violations({ [UNKNOWN_FIELDS]: 'Send a alone.' }, { a: 'b', x: 1 }), [
      { pointer: '/x', code: 'unknown_field', message: 'There is no field x here. Send a alone.' },
    ]);
  });

  test('more than a thousand are told by one sentence', () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, i]));
    const told = violations({}, { ...many, a: 5 });
    assert.equal(told.length, 1_001);
    assert.deepEqual(told.at(-2)?.pointer, '/k999');
    assert.deepEqual(told.at(-1), {
      pointer: '',
      code: 'too_many',
      message: 'There are more problems than these 1000.',
    });
  });

  test('none is told where any may be', () => {
    assert.deepEqual(violations({ additionalProperties: true }, { a: 'b', x: 1 }), []);
  });
});

describe('fitting members', () => {
  const check = new SchemaCheck(Type.Object({ name: Name, count: Count, list: Type.Optional(List) }));

  test('are the declared ones that fit, whatever else is there', () => {
    assert.deepEqual(check.fittingMembers({ name: 'a', count: 0, list: ['x'], other: 5 }), {
      name: 'a',
      list: ['x'],
    });
    assert.deepEqual(check.fittingMembers({}), {});
  });

  test('are members of its own', () => {
    assert.deepEqual(check.fittingMembers(Object.create({ name: 'a' })), {});
  });

  test('of what is no object are none', () => {
    for (const value of [undefined, null, 'name', 5, [{ name: 'a' }]])
      assert.deepEqual(check.fittingMembers(value), {});
    assert.deepEqual(new SchemaCheck({ type: 'object' } as TSchema).fittingMembers({ name: 'a' }), {});
  });
});
