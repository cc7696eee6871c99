/** Holds that every regular expression that may meet outside text takes a time that grows with it and no faster. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { operationsOf } from '../src/app.ts';
import {
  type Expression,
  expressionsMadeBy,
  expressionsOf,
  patternsOf,
  problemsOf,
} from './architecture/regular-expressions.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = globSync(['src/**/*.ts', 'client/src/**/*.ts'], { cwd: ROOT }).sort();
const contentOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Files that make expressions of texts when they are loaded. */
const MAKERS = [
  'src/areas/calendar/import-people.ts',
  'src/areas/contacts/card-reading.ts',
  'src/areas/contacts/cards.ts',
  'src/formulas/date-text.ts',
  'src/formulas/functions/engineering/complex-text.ts',
  'src/formulas/syntax/template.ts',
];
/** Files that make them when they are called: of texts of their own, which stand below as they are made. */
const CALLED_MAKERS: Record<string, Expression[]> = {
  'src/config.ts': [],
  'src/formulas/functions/text/widths.ts': [{ source: '([ｦ-ﾝ])ﾞ', flags: 'g', where: 'widths.ts' }],
  'src/text/host-name.ts': [
    {
      source: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
      flags: 'i',
      where: 'host-name.ts',
    },
  ],
};

describe('regular expressions take linear time', () => {
  test('all literals of the product and the client', () => {
    const expressions = FILES.flatMap((path) => expressionsOf(path, contentOf(path)));
    assert.ok(expressions.length > 300);
    assert.deepEqual(problemsOf(expressions), []);
  });

  test('all that are made of texts', async () => {
    const makers = FILES.filter((path) => /\bRegExp\(/.test(contentOf(path)));
    assert.deepEqual(makers, [...MAKERS, ...Object.keys(CALLED_MAKERS)].sort());
    const made = await expressionsMadeBy(async () => {
      // Under a name of its own, because the first one is loaded already.
      for (const path of MAKERS) await import(`../${path}?made`);
    });
    assert.ok(made.length > 8);
    assert.deepEqual(problemsOf([...made, ...Object.values(CALLED_MAKERS).flat()]), []);
  });

  test('all patterns of declarations', () => {
    const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);
    const patterns = operations.flatMap(({ id, query, body }) => patternsOf([query, body], id));
    assert.ok(patterns.length > 20);
    assert.deepEqual(problemsOf(patterns), []);
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
