import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { ApiError } from '../../src/contract/errors.ts';
import { requireParameter, requireValues } from '../../src/contract/required-values.ts';

const Size = Type.Integer({ minimum: 0, maximum: 10 });
const Line = Type.Object({ kind: Type.Enum(['insert', 'delete']), count: Size });
const Named = Type.Object({ kind: Type.Enum(['add']), name: Type.String() });
const Schema = Type.Object({
  size: Size,
  share: Type.Optional(Type.Number()),
  isOpen: Type.Optional(Type.Boolean()),
  role: Type.Optional(Type.Union([Type.Enum(['viewer', 'editor']), Type.Null()])),
  lines: Type.Optional(Type.Array(Type.Union([Line, Named]))),
  'a/b': Type.Optional(Type.String()),
});

/** Where the first problem is, and its code. */
function problemOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'validation_failed');
    const [{ pointer, parameter, code }] = error.details.errors as [Record<string, string>];
    return `${pointer ?? parameter} ${code}`;
  }
  return 'none';
}

describe('values that are required', () => {
  const cases: [object, string][] = [
    [{ size: 0 }, 'none'],
    [{ size: 10, share: 0.5, isOpen: false, role: null, lines: [] }, 'none'],
    [
      {
        size: 1,
        role: 'editor',
        lines: [
          { kind: 'add', name: '' },
          { kind: 'insert', count: 0 },
        ],
      },
      'none',
    ],
    [{ size: 1, unknown: 5 }, 'none'],
    [{}, '/size required'],
    [{ size: undefined }, '/size required'],
    [{ size: -1 }, '/size too_small'],
    [{ size: 11 }, '/size too_large'],
    [{ size: 0.5 }, '/size wrong_type'],
    [{ size: '1' }, '/size wrong_type'],
    [{ size: Number.NaN }, '/size wrong_type'],
    [{ size: 1, share: Number.POSITIVE_INFINITY }, '/share wrong_type'],
    [{ size: 1, isOpen: 1 }, '/isOpen wrong_type'],
    [{ size: 1, role: 'owner' }, '/role not_allowed'],
    [{ size: 1, lines: {} }, '/lines wrong_type'],
    [{ size: 1, lines: [{ kind: 'drop_table' }] }, '/lines/0/kind not_allowed'],
    [
      {
        size: 1,
        lines: [
          { kind: 'add', name: 'x' },
          { kind: 'insert', count: -1 },
        ],
      },
      '/lines/1/count too_small',
    ],
    [{ size: 1, lines: [null] }, '/lines/0 wrong_type'],
    [{ size: 1, 'a/b': 5 }, '/a~1b wrong_type'],
  ];
  for (const [given, problem] of cases) {
    it(`the problem of ${JSON.stringify(given)} is ${problem}`, () => {
      assert.equal(
        problemOf(() => requireValues(Schema, given)),
        problem,
      );
    });
  }

  it('are members of their own, not of what they inherit', () => {
    assert.equal(
      problemOf(() => requireValues(Schema, Object.create({ size: 1 }))),
      '/size required',
    );
  });

  it('are named by the parameter where they come from a query', () => {
    assert.equal(
      problemOf(() => requireParameter(Size, -1, 'limit')),
      'limit too_small',
    );
  });

  const Anything = Type.Object({
    list: Type.Optional(Type.Array(Type.Unknown())),
    any: Type.Optional(Type.Unknown()),
    none: Type.Optional(Type.Null()),
    open: Type.Optional({ type: 'array' }),
    least: Type.Optional(Type.Number({ minimum: 1 })),
    most: Type.Optional(Type.Number({ maximum: 1 })),
  });
  const TOLD: [TSchema, unknown, string][] = [
    [Schema, { size: -1 }, '/size: Give at least 0.'],
    [Schema, { size: 11 }, '/size: Give at most 10.'],
    [Schema, { size: '1' }, '/size: Give a value of type integer.'],
    [Schema, { size: 1, role: 'owner' }, '/role: Give one of: viewer, editor.'],
    [Schema, { size: 1, role: 5 }, '/role: Give one of: viewer, editor.'],
    [Schema, {}, '/size: Is required.'],
    [Schema, [], 'body: Give a value of type object.'],
    [Schema, null, 'body: Give a value of type object.'],
    [Anything, { list: [1, 'a', null, {}], any: 5, none: null, open: [1], least: 1, most: 1 }, 'none'],
    [Anything, { none: 0 }, '/none: Give a value of type null.'],
    [Anything, { open: { length: 1 } }, '/open: Give a value of type array.'],
    [Anything, { least: 0.5, most: 2 }, '/least: Give at least 1.'],
    [Anything, { most: 1.5 }, '/most: Give at most 1.'],
    [Type.Array(Size), [0, 5, 11, -1], '/2: Give at most 10.'],
    [{ type: 'object' }, { anything: 1 }, 'none'],
    [Type.Boolean(), false, 'none'],
    [Type.Boolean(), 'false', 'body: Give a value of type boolean.'],
  ];
  for (const [schema, given, message] of TOLD) {
    it(`the message about ${JSON.stringify(given)} is "${message}"`, () => {
      const run = () => requireValues(schema, given);
      if (message === 'none') assert.doesNotThrow(run);
      else assert.throws(run, { message });
    });
  }

  it('are told of with the place at which they are', () => {
    assert.equal(
      problemOf(() => requireValues(Schema, { size: 11 }, '/data/0')),
      '/data/0/size too_large',
    );
    assert.doesNotThrow(() => requireParameter(Size, 5, 'limit'));
    assert.throws(() => requireParameter(Size, 11, 'limit'), { message: 'limit: Give at most 10.' });
  });
});
