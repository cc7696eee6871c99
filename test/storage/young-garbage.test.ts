import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('what a write held on to goes with the young garbage once it is answered', async () => {
  const script = join(import.meta.dirname, 'held-writes.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  // Of 160 writes.
  assert.ok(Number(stdout) < 40, `${stdout.trim()} are kept`);
});
