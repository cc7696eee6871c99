import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import type { TestApp } from './harness.ts';
import { PROGRAM, programEnvironment } from './program.ts';

export interface Outcome {
  code: number | null;
  /** The exact bytes. */
  output: Buffer;
  stdout: string;
  stderr: string;
}

/** Starts a command on the settings of an application that runs; `settings` are environment variables beside those. */
export function startAtrium(
  { config }: Pick<TestApp, 'config'>,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): ChildProcess {
  const { dataDir, databaseUrl, blobs } = config;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  const env = {
    ...programEnvironment(),
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
    ...(blobs !== undefined && { ATRIUM_BLOBS: blobs, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }),
  };
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
}

/** Runs a command as startAtrium starts it. */
export async function runAtrium(
  app: Pick<TestApp, 'config'>,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const child = startAtrium(app, args, settings);
  assert.ok(child.stdout && child.stderr);
  const [output, stderr, [code]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, output, stdout: output.toString(), stderr };
}

/** The document of a command that succeeds. */
// biome-ignore lint/suspicious/noExplicitAny: documents of every shape
export async function atriumJson(app: Pick<TestApp, 'config'>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runAtrium(app, [...args, '--json']);
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout);
}
