import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findWildcard, wildcardTest } from '../../src/formulas/criteria.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B'), maxLength: 80 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '?', '?', '*'), maxLength: 70 });

/** The pattern as a regular expression, which is slow but surely right. */
function expression(wanted: string): string {
  return wanted.replaceAll('?', '[^]').replaceAll('*', '[^]*?');
}

describe('wildcards', () => {
  it('match whole texts as the same regular expression does', () => {
    fc.assert(
      fc.property(pattern, text, (wanted, given) => {
        assert.equal(wildcardTest(wanted)(given), new RegExp(`^${expression(wanted)}$`, 'i').test(given));
      }),
    );
  });

  it('are found where the same regular expression is found', () => {
    fc.assert(
      fc.property(pattern, text, (wanted, given) => {
        assert.equal(
          findWildcard(wanted, given),
          new RegExp(expression(wanted), 'i').exec(given)?.index ?? -1,
        );
      }),
    );
  });

  it('are found across the bits of a word', () => {
    const wanted = `${'?'.repeat(40)}x${'?b'.repeat(20)}`;
    const given = `${'a'.repeat(45)}x${'ab'.repeat(20)}`;
    assert.equal(findWildcard(wanted, given), 5);
    assert.equal(wildcardTest(`*${wanted}`)(given), true);
  });

  it('mean themselves behind "~"', () => {
    assert.equal(findWildcard('~*~?', 'a*?'), 1);
    assert.equal(wildcardTest('~~*')('~b'), true);
  });
});
