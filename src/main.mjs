// The entry point of the program, in plain JavaScript: Node's TypeScript compiler takes a fifth of the time and of
// the memory of a start, unless its output is cached; this file enables that cache.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';

// Concurrent syncs share the disk's work for them, and they would soon occupy all four of Node's default threads. The
// thread pool starts with the first call that needs it.
process.env.UV_THREADPOOL_SIZE ??= '16';

/** As start/config.ts reads it; that file is TypeScript. */
const dataDir = process.env.ATRIUM_DATA_DIR || 'data';

const compiled = join(dataDir, 'compiled');

// A start that cannot listen creates nothing, not even these directories.
const isHopeless =
  process.argv[2] === 'serve' &&
  !existsSync(dataDir) &&
  !(await (await import('./start/ports.ts')).couldListen());

// The mode excludes other users, whatever the umask: code in this directory is run.
for (const directory of isHopeless ? [] : [dataDir, compiled]) {
  try {
    mkdirSync(directory, { mode: 0o700 });
    // A new directory, and everything reported as stored in it, survives a power failure only after this sync.
    const above = openSync(dirname(directory), 'r');
    fsyncSync(above);
    closeSync(above);
  } catch {
    // The directory exists already, or the command reports what is wrong with it.
  }
}
// Without a writable directory, nothing is cached and nothing is lost. Node itself would create the parent
// directories too, and retry forever where the system has no directories, as below /proc.
if (existsSync(compiled)) {
  enableCompileCache(compiled);
  // Worker threads read this variable to use the same cache.
  process.env.NODE_COMPILE_CACHE ??= compiled;
}
const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv);
