import type { Command } from 'commander';
import type { MailboxOwner } from '../../areas/mail/service.ts';
import type { Services } from '../../start/composition.ts';
import { folderNamed, userNamed } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { refuseMixedOutput, writeOutput } from './export-output.ts';

interface ExportOptions {
  folder?: string;
  output?: string;
}

export function addExportMail(group: Command): void {
  group
    .command('mail')
    .description('Export messages as a mailbox file (mbox); `atrium import mail` brings equal ones back')
    .argument('<user>', 'the id, e-mail address or alias of the user whose mailbox it is')
    .option('--folder <name>', 'only this folder, "/" between levels (default: every folder)')
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(exportMail);
}

async function exportMail(user: string, { folder, output }: ExportOptions, command: Command): Promise<void> {
  refuseMixedOutput(output, command);
  const report = { exported: 0, bytes: 0 };
  const line = new ProgressLine(
    () => `${counted(report.exported, 'message')}, ${Math.round(report.bytes / 1e6)} MB`,
  );
  await withServices(async (services) => {
    const owner = await services.database.read((tx) => userNamed(tx, services.directory, user));
    const folderIds = await foldersOf(services, owner, folder);
    await writeOutput(entriesOf(services, owner, folderIds, report), output);
  }).finally(() => line.end());
  if (output === undefined) return;
  show(command, { ...report, output }, () => `${counted(report.exported, 'message')} exported to ${output}.`);
}

/** Throws ApiError not_found. */
function foldersOf(
  { database, mail }: Services,
  owner: MailboxOwner,
  name: string | undefined,
): Promise<string[]> {
  return database.read(async (tx) => {
    if (name !== undefined) return [await folderNamed(tx, mail, owner, name)];
    return (await mail.listFolders(tx, owner)).map(({ id }) => id);
  });
}

async function* entriesOf(
  { mail }: Services,
  owner: MailboxOwner,
  folderIds: readonly string[],
  report: { exported: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  for (const folderId of folderIds) {
    for await (const entry of mail.exportFolder(owner, folderId)) {
      report.exported++;
      for (const piece of entry) report.bytes += piece.length;
      yield* entry;
    }
  }
}
