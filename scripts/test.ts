/**
 * Runs the checks and then every test, on both storage engines. Arguments are passed on to Node's test runner;
 * with a file among them only those files run, without the checks.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

/** What Node makes of the TypeScript of this tree is kept between the files: every test file reads most of it. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules', '.cache', 'compiled');

const RUNNER = [
  '--test',
  '--test-reporter=spec',
  '--test-global-setup=test/global-setup.ts',
  '--import=./test/fixed-seed.ts',
  `--test-concurrency=${availableParallelism()}`,
];

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const files = args.filter((arg) => !arg.startsWith('-'));
if (files.length === 0) {
  run('tsc', ['-p', '.']);
  run('biome', ['check']);
  files.push(...globSync('test/**/*.test.ts').sort());
}
run(process.execPath, [...RUNNER, ...options, ...files]);
