import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('large values do not stay with the statements that wrote them', async () => {
  const script = join(import.meta.dirname, 'bound-values.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  // Of six: what the C library and the files of SQLite keep of the last ones is no more than half of them.
  assert.ok(Number(stdout) < 3, `${stdout.trim()} are held`);
});
