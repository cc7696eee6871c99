/** The rules of docs/spec and who names them: every id is one rule, every rule is named by a test, and nobody names another. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, it } from 'node:test';
import { parseModule } from './architecture/modules.ts';
import { definedIds, malformedIds, type Texts, unknownIds, untestedIds } from './spec/ids.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = '{src,test,bench,client,scripts,demo,docs}/**/*.{ts,mjs,js,md,json,txt}';
/** What others have written, what is installed or generated, and the examples below. */
const LEFT_OUT = /(^|\/)(node_modules|fixtures|dist)\/|^test\/spec-ids\.test\.ts$/;

function readTexts(): Texts {
  const paths = globSync(FILES, { cwd: ROOT }).map((path) => path.split(sep).join('/'));
  const wanted = paths.filter((path) => !LEFT_OUT.test(path)).sort();
  return Object.fromEntries(wanted.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

const importsOf = (path: string, text: string) => parseModule(path, text).imports;

describe('the specification', () => {
  const texts = readTexts();

  it('is read at all', () => {
    assert.ok(definedIds(texts).length > 600);
    assert.ok('src/main.mjs' in texts && 'test/harness.ts' in texts && 'docs/security.md' in texts);
  });

  it('has one well-formed id for each rule', () => assert.deepEqual(malformedIds(texts), []));

  it('defines every id that is named in a source, a test or a page', () =>
    assert.deepEqual(unknownIds(texts), []));

  it('has no rule that no test names', () => assert.deepEqual(untestedIds(texts, importsOf), []));
});

describe('what is found of ids', () => {
  const INDEX = '| [tree.md](tree.md) | `TREE-` | trees |\n';
  const PAGE =
    '# Trees\n\n- **TREE-1** A tree\n  - has leaves.\n\n| id | leaf |\n|---|---|\n| TREE-2 | green |\n';
  const WHOLE: Texts = { 'docs/spec/README.md': INDEX, 'docs/spec/tree.md': PAGE };
  const withPage = (page: string): Texts => ({ ...WHOLE, 'docs/spec/tree.md': page });

  it('is nothing where all is well', () => {
    assert.deepEqual(definedIds(WHOLE), ['TREE-1', 'TREE-2']);
    assert.deepEqual(malformedIds(WHOLE), []);
    assert.deepEqual(unknownIds({ ...WHOLE, 'src/a.ts': '// See TREE-2 and SHA-256.' }), []);
  });

  for (const [page, problem] of [
    ['- **TREE-1** A.\n- **TREE-1** B.', 'docs/spec/tree.md defines TREE-1 twice'],
    ['- **BUSH-1** A.', 'docs/spec/tree.md defines BUSH-1'],
    ['- **TREE-2** A.', 'docs/spec/tree.md lacks TREE-1'],
    ['- **TREE-01** A.', 'docs/spec/tree.md has a rule without an id: - **TREE-01** A.'],
    ['- A rule.', 'docs/spec/tree.md has a rule without an id: - A rule.'],
    ['| green | leaf |', 'docs/spec/tree.md has a rule without an id: | green | leaf |'],
  ] as const)
    it(`is a malformed id: ${problem}`, () => assert.deepEqual(malformedIds(withPage(page)), [problem]));

  it('is a page that the index does not have, and one that only the index has', () => {
    assert.deepEqual(malformedIds({ ...WHOLE, 'docs/spec/bush.md': '' }), [
      'docs/spec/bush.md is not in the index',
    ]);
    assert.deepEqual(malformedIds({ 'docs/spec/README.md': INDEX }), ['docs/spec/tree.md is not there']);
  });

  it('is an id that no page defines, in any text, and of any prefix at the place of an id', () => {
    const sources = {
      'src/a.ts': '/** TREE-3 says so. */',
      'test/a.test.ts': "test('a tree grows (TREE-1, TREA-2)', () => {});\n  // TERE-1\n  row,",
      'docs/trees.md': 'See TREE-2.',
    };
    assert.deepEqual(unknownIds({ ...WHOLE, ...sources }), [
      'src/a.ts names TREE-3',
      'test/a.test.ts names TREA-2',
      'test/a.test.ts names TERE-1',
    ]);
  });

  it('is a rule that no test names, nor anything of test that a test imports', () => {
    const untested = (sources: Texts) => untestedIds({ ...WHOLE, ...sources }, importsOf);
    assert.deepEqual(untested({ 'src/a.ts': '// TREE-1', 'test/rows.ts': '// TREE-2' }), [
      'TREE-1',
      'TREE-2',
    ]);
    const rows = { 'test/rows.ts': '// TREE-2', 'test/far.ts': "import './rows.ts';" };
    assert.deepEqual(untested({ ...rows, 'test/a.test.ts': "import './far.ts';\n// TREE-1" }), []);
  });
});
