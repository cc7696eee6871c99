import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

test('every threat in docs/security.md names tests that there are', () => {
  const threats = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat '));
  assert.ok(threats.length > 20);
  for (const threat of threats) {
    const tests = [...threat.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    assert.ok(tests.length > 0, threat);
    for (const path of tests) assert.ok(existsSync(join(ROOT, path)), path);
  }
});

test('docs/security.md names every test of this folder', () => {
  for (const name of globSync('*.test.ts', { cwd: import.meta.dirname })) {
    assert.ok(page.includes(`\`test/security/${name}\``), name);
  }
});
