/** Tests that look at the product from outside, of which each request goes to another node than the one before. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { postgresUrl } from '../postgres.ts';

/** All that do not look into the product or its disk can be run so: `ATRIUM_TEST_NODES=2 npm test -- FILE …`. */
const FILES = ['areas/contacts.test.ts', 'areas/mail-flags.test.ts'];
const ROOT = new URL('../', import.meta.url);

describe('two nodes behind a balancer', { timeout: 600_000 }, () => {
  for (const file of FILES) {
    it(`pass test/${file}`, async () => {
      // What tells the runner that it is one of a run would keep it from saying how its tests went.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const url = await postgresUrl();
      const child = spawn(process.execPath, ['--test', '--test-reporter=dot', new URL(file, ROOT).pathname], {
        env: { ...env, ATRIUM_TEST_NODES: '2', ATRIUM_TEST_POSTGRES_URL: url },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(code, 0, said);
    });
  }
});
