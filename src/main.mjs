// The program starts here, in plain JavaScript, because Node reads TypeScript with a compiler that takes a fifth of the
// time and of the memory of a start, unless it has kept what that made; and keeping begins here.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';

// Syncs that are under way together share what the disk does for them, and the four threads that Node has by itself are
// soon all in one. The threads start with the first call that needs one.
process.env.UV_THREADPOOL_SIZE ??= '16';

/** As start/config.ts, which is TypeScript, reads it. */
const dataDir = process.env.ATRIUM_DATA_DIR || 'data';

const compiled = join(dataDir, 'compiled');

// A start that could not listen makes nothing, not even these directories.
const isHopeless =
  process.argv[2] === 'serve' &&
  !existsSync(dataDir) &&
  !(await (await import('./start/ports.ts')).couldListen());

// Others must not put code there, whatever the umask: it would be run.
for (const directory of isHopeless ? [] : [dataDir, compiled]) {
  try {
    mkdirSync(directory, { mode: 0o700 });
    // A new directory, and with it all that is told to be kept there, survives a power cut only once this is on the disk.
    const above = openSync(dirname(directory), 'r');
    fsyncSync(above);
    closeSync(above);
  } catch {
    // It is there already, or the command will say what is wrong with it.
  }
}
// Where nothing can be written, nothing is kept and nothing lost. Node itself would make the directories above as well,
// and try for ever where the system has none of the kind, as below /proc.
if (existsSync(compiled)) {
  enableCompileCache(compiled);
  // Threads look here whether to keep and use it as well.
  process.env.NODE_COMPILE_CACHE ??= compiled;
}
const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv);
