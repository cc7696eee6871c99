import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../src/contract/errors.ts';
import { requireState } from '../../src/contract/preconditions.ts';

for (const header of ['abc', '"abc"', ' "abc" ', '*', '"x", "abc"', 'x,abc']) {
  test(`If-Match: ${header} names the state abc (API-147)`, () =>
    requireState({ 'if-match': header }, 'abc'));
}

for (const header of ['', '""', 'W/"abc"', '"ab', 'abcd', 'ABC', '"a", "b"']) {
  test(`If-Match: ${header} does not name the state abc (API-147)`, () =>
    assert.throws(
      () => requireState({ 'if-match': header }, 'abc'),
      (error) =>
        error instanceof ApiError && error.code === 'state_mismatch' && error.details.state === 'abc',
    ));
}

test('a write without If-Match is asked for it (API-149)', () =>
  assert.throws(
    () => requireState({}, 'abc'),
    (error) => error instanceof ApiError && error.code === 'precondition_required',
  ));
