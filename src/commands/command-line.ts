import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { addExportCommands } from './export.ts';
import { reportFailure } from './failure.ts';
import { addGroupCommands } from './group.ts';
import { addImportCommands } from './import.ts';
import { addKeyCommands } from './key.ts';
import { addResourceCommands } from './resource.ts';
import { addServeCommand } from './serve.ts';
import { addUserCommands } from './user.ts';
import { addWorkspaceCommands } from './workspace.ts';

/** Runs the command that `argv` (of the process) names, and sets the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const program = createProgram(argv);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes('--json'));
  }
}

function createProgram(argv: readonly string[]): Command {
  const program = new Command('atrium')
    .description(
      "A self-hosted workspace suite. Settings come from the environment, the same as the server's.",
    )
    .version(VERSION)
    .option('--json', 'answer as one JSON document')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      // With --json a refusal is told once, as JSON, when the error arrives.
      outputError: (text, write) => {
        if (!argv.includes('--json')) write(text);
      },
    });
  addServeCommand(program);
  addWorkspaceCommands(program);
  addUserCommands(program);
  addGroupCommands(program);
  addResourceCommands(program);
  addKeyCommands(program);
  addImportCommands(program);
  addExportCommands(program);
  return program;
}
