/** Python of the host: programs and mail clients that are not of this project. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);

/** For the option `skip` of a test that runs Python: why it cannot, or false. */
export const WITHOUT_PYTHON = status === 0 ? false : 'there is no python3 of 3.9 or newer on this machine';

/** What a program prints; fails where it fails. */
export async function outputOf(
  command: readonly [string, ...string[]],
  input: string | Uint8Array,
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(code, 0, `${command.join(' ')}: ${errors}${output}`);
  return output;
}
