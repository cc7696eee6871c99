import { Command } from 'commander';
import { VERSION } from '../platform/version.ts';
import { reportFailure } from './failure.ts';

/** Adds a command with its subcommands. */
type AddCommand = (program: Command) => void;

/** The loader of each command, in the order of the help; only the requested command is loaded. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import('./server/serve.ts')).addServeCommand,
  workspace: async () => (await import('./admin/workspace.ts')).addWorkspaceCommands,
  user: async () => (await import('./admin/user.ts')).addUserCommands,
  group: async () => (await import('./admin/group.ts')).addGroupCommands,
  resource: async () => (await import('./admin/resource.ts')).addResourceCommands,
  key: async () => (await import('./admin/key.ts')).addKeyCommands,
  'sign-in': async () => (await import('./admin/sign-in.ts')).addSignInCommand,
  import: async () => (await import('./import/import.ts')).addImportCommands,
  export: async () => (await import('./export/export.ts')).addExportCommands,
  upload: async () => (await import('./transfer/upload.ts')).addUploadCommand,
  download: async () => (await import('./transfer/download.ts')).addDownloadCommand,
  watch: async () => (await import('./transfer/watch.ts')).addWatchCommand,
  webhook: async () => (await import('./transfer/webhook.ts')).addWebhookCommands,
  draft: async () => (await import('./transfer/draft.ts')).addDraftCommands,
  search: async () => (await import('./transfer/search.ts')).addSearchCommands,
  mcp: async () => (await import('./transfer/mcp.ts')).addMcpCommand,
  backup: async () => (await import('./admin/backup.ts')).addBackupCommand,
  verify: async () => (await import('./admin/verify.ts')).addVerifyCommand,
  restore: async () => (await import('./admin/restore.ts')).addRestoreCommand,
  'adopt-blobs': async () => (await import('./admin/adopt-blobs.ts')).addAdoptBlobsCommand,
  database: async () => (await import('./admin/database.ts')).addDatabaseCommands,
  doctor: async () => (await import('./server/doctor.ts')).addDoctorCommand,
};

/** Runs the command that `argv` (of the process) names, and sets the exit code: 0, 1 for a failure, 2 for wrong usage. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const program = createProgram(argv);
  for (const load of commandsFor(argv)) (await load())(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes('--json'));
  }
}

/** The named command; every command where the name is unknown, for the help and for suggestions. */
function commandsFor(argv: readonly string[]): (() => Promise<AddCommand>)[] {
  const name = argv.slice(2).find((argument) => !argument.startsWith('-')) ?? '';
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return named ? [named] : Object.values(COMMANDS);
}

function createProgram(argv: readonly string[]): Command {
  return new Command('atrium')
    .description(
      "A self-hosted workspace suite. Settings come from the environment, the same as the server's.",
    )
    .version(VERSION)
    .option('--json', 'answer as one JSON document')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      // With --json, a refusal is written once, as JSON, when the error is handled.
      outputError: (text, write) => {
        if (!argv.includes('--json')) write(text);
      },
    });
}
