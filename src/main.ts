import { runCommandLine } from './commands/command-line.ts';

await runCommandLine(process.argv);
