import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { OWNER_KEY } from '../harness.ts';

export const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** A server in a process of its own. */
export interface ServedProcess {
  address: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Resolves when it has ended, however. */
  ended: Promise<unknown>;
}

/** Starts `atrium serve`; `settings` are its environment, `log` is the file that it tells of its work. */
export async function serveProcess(
  settings: Record<string, string | undefined>,
  log: number | 'inherit' = 'inherit',
): Promise<ServedProcess> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', log],
    env: {
      PATH: process.env.PATH,
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: '0',
      ATRIUM_OWNER_KEY: OWNER_KEY,
      ...settings,
    },
  });
  const exit = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  assert.ok(child.stdout);
  const address = await Promise.race([addressIn(child.stdout), exit.then(() => undefined)]);
  assert.ok(address, 'the server did not start');
  return { address, kill, ended: exit };
}

/** Reads on after it, since a server that says more into a closed pipe would end. */
function addressIn(output: Readable): Promise<string> {
  return new Promise((resolve) => {
    createInterface(output).on('line', (line) => {
      const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
      if (address) resolve(address);
    });
  });
}
