import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { FORM_NAMES } from '../../src/formulas/compile/calls.ts';
import { FUNCTION_NAMES } from '../../src/formulas/functions/registry.ts';

const PAGE = join(import.meta.dirname, '../../docs/formulas.md');

it('docs/formulas.md lists every function, at least 300, and no other (SHEET-36)', () => {
  const listed = [...readFileSync(PAGE, 'utf8').matchAll(/`([A-Z][A-Z0-9.]*)`/g)].map(([, name]) => name);
  assert.ok(listed.length >= 300, `${listed.length} functions`);
  assert.deepEqual(listed, [...new Set([...FUNCTION_NAMES, ...FORM_NAMES])].sort());
});
