/**
 * Runs the checks and then every test, on both storage engines. Arguments are passed on to Node's test runner;
 * with a file among them only those files run, without the checks.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { buildConsole } from './build-console.ts';
import { BUNDLED_PACKAGES, bundlePackages } from './bundle-packages.ts';
import { COMPILED_PROGRAM, compile } from './compile.ts';

/** What Node makes of the TypeScript of this tree is kept between the files: every test file reads most of it. */
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules', '.cache', 'compiled');

const RUNNER = [
  '--test',
  '--test-reporter=spec',
  '--test-global-setup=test/global-setup.ts',
  '--import=./test/imports.ts',
  '--import=./test/fixed-seed.ts',
  '--import=./test/untracked.ts',
  // One more than there are processors: some files wait most of the time.
  `--test-concurrency=${availableParallelism() + 1}`,
];

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Linux keeps what is here in memory. */
const IN_MEMORY = '/dev/shm';
/** Several times what the tests keep at once, in bytes. */
const ENOUGH_MEMORY = 8 * 1024 ** 3;

/**
 * Has the tests keep their databases and files in memory where there is enough: a tenth to a fifth of their processor time
 * went to a disk whose content nobody reads again. Whoever names a directory for temporary files keeps it.
 */
function useMemoryForFiles(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom(IN_MEMORY)) return;
  const directory = mkdtempSync(join(IN_MEMORY, 'atrium-tests-'));
  // PostgreSQL may run as another user.
  chmodSync(directory, 0o711);
  process.env.TMPDIR = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  // The runner ends at a Ctrl-C by itself, and this process after it.
  process.on('SIGINT', () => undefined);
}

function hasRoom(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= ENOUGH_MEMORY;
  } catch {
    return false;
  }
}

const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const files = args.filter((arg) => !arg.startsWith('-'));
if (files.length === 0) {
  run('tsc', ['-p', '.']);
  run('tsc', ['-p', 'console']);
  run('biome', ['check']);
  files.push(...globSync('test/**/*.test.ts').sort());
}
useMemoryForFiles();
await compile();
await buildConsole();
await bundlePackages();
process.env.ATRIUM_TEST_PACKAGES = BUNDLED_PACKAGES;
process.env.ATRIUM_TEST_PROGRAM = COMPILED_PROGRAM;
run(process.execPath, [...RUNNER, ...options, ...files]);
