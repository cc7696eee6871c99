import { useBundledPackages } from './bundled-packages.ts';

useBundledPackages();
const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv);
