import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { readDataDir } from './config.ts';

// Node keeps what it has compiled: later starts take half the time and less memory. Where it cannot be written to,
// nothing is kept and nothing is lost.
enableCompileCache(join(readDataDir(), 'compiled'));
const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv);
