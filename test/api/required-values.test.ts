import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { ApiError } from '../../src/api/errors.ts';
import { requireParameter, requireValues } from '../../src/api/required-values.ts';

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
    it(`${JSON.stringify(given)}: ${problem}`, () => {
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
});
