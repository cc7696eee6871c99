/** Holds that every regular expression that may meet outside text takes a time that grows with it and no faster. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { literals, madeOfTexts, makers, patterns } from './architecture/every-expression.ts';
import { expressionsOf, problemsOf } from './architecture/regular-expressions.ts';

describe('regular expressions take linear time', () => {
  test('all literals of the product and the client', () => {
    assert.ok(literals().length > 300);
    assert.deepEqual(problemsOf(literals()), []);
  });

  test('all that are made of texts', async () => {
    const { found, known } = makers();
    assert.deepEqual(found, known);
    const made = await madeOfTexts();
    assert.ok(made.length > 8);
    assert.deepEqual(problemsOf(made), []);
  });

  test('all patterns of declarations', () => {
    assert.ok(patterns().length > 20);
    assert.deepEqual(problemsOf(patterns()), []);
  });

  for (const [name, literal] of Object.entries({
    'one that begins anew at each character': '/^<+|>+$/g',
    'one that parts a run in two': '/^(?:a*)*b*a*$/',
    'one that looks ahead': '/^ *(?:(?=[^>\\s]{1,254})[^@]+@[^.]+|[^\\p{Cc}]*<[^@]+@[^>]*>) *$/u',
    'one that only attacks can tell': '/\\B(?=(?:\\d{3})+$)/g',
  })) {
    test(`a file with ${name} is refused`, () => {
      const [problem, ...others] = problemsOf(
        expressionsOf('src/a.ts', `export const A: RegExp = ${literal};`),
      );
      assert.match(problem ?? '', /^src\/a\.ts: .* takes more than linear time on /);
      assert.deepEqual(others, []);
    });
  }
});
