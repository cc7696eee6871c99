import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { useBundledPackages } from './bundled-packages.ts';
import { readDataDir } from './config.ts';

keepCompiledCode(readDataDir());
useBundledPackages();
const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv);

/** Later starts take half the time and less memory. Where nothing can be written, nothing is kept and nothing lost. */
function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { mode: 0o700 });
  } catch {
    // It is there already, or the command will say what is wrong with it.
  }
  enableCompileCache(join(dataDir, 'compiled'));
}
