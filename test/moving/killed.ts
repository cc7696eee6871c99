import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Step } from '../../src/archive/moving/move.ts';
import { programEnvironment } from '../program.ts';
import { env as credentials } from '../s3.ts';
import type { Installations } from './world.ts';

const CHILD = new URL('./move.child.ts', import.meta.url).pathname;

/** Begins a move, or goes on with one, in a process that is killed as a step ends. */
export async function moveKilled(
  { source, settings }: Pick<Installations, 'source' | 'settings'>,
  workspaceId: string,
  step: Step,
  table?: string,
): Promise<void> {
  const { dataDir, databaseUrl } = source.config;
  const env = {
    ...programEnvironment(),
    ...credentials,
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
  };
  const args = [CHILD, workspaceId, settings, step, ...(table === undefined ? [] : [table])];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, [, signal]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.equal(signal, 'SIGKILL', stderr);
}
