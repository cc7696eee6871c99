import type { Command } from 'commander';
import { Type } from 'typebox';
import { FolderName } from '../areas/mail/service.ts';
import { checked } from './checked.ts';
import { type ImportReport, MailImport } from './mail-import.ts';
import { userNamed } from './named.ts';
import { counted, show } from './output.ts';
import { withProduct } from './session.ts';

interface ImportOptions {
  folder?: string;
  threading: boolean;
}

const Levels = Type.Object({ folder: Type.Array(FolderName) });

export function addImportMail(group: Command): void {
  group
    .command('mail')
    .description('Import messages: .eml files, Maildirs, mailbox files (mbox), and directories of them')
    .argument('<user>', 'the id, e-mail address or alias of the user whose mailbox it is')
    .argument('<path...>', 'files and directories')
    .option(
      '--folder <name>',
      'the folder they go to, "/" between levels, made where it is missing; else the inbox',
    )
    .option('--no-threading', 'leave the messages outside of conversations')
    .action(importMail);
}

async function importMail(
  user: string,
  paths: string[],
  { folder, threading }: ImportOptions,
  command: Command,
): Promise<void> {
  if (folder !== undefined) checked(Levels, { folder: folder.split('/') });
  const report = await withProduct(async (product) => {
    const { database, directory, mail } = product;
    const owner = await database.read((tx) => userNamed(tx, directory, user));
    const folderId = await database.write((tx) =>
      folder === undefined ? mail.getFolderByRole(tx, owner, 'inbox') : mail.ensureFolder(tx, owner, folder),
    );
    return new MailImport(product, owner, { folderId, threading }).run(paths);
  });
  show(command, report, () => asText(report));
  // Within a directory there may be anything; what was asked for by its name should have come.
  const hasNone = report.added + report.already_there === 0 && report.skipped.length > 0;
  if (hasNone || report.skipped.some(({ source }) => paths.includes(source))) process.exitCode = 1;
}

function asText({ added, already_there: present, skipped }: ImportReport): string {
  const lines = [`${counted(added, 'message')} added, ${present} there already, ${skipped.length} skipped.`];
  return [...lines, ...skipped.map(({ source, reason }) => `skipped ${source}: ${reason}`)].join('\n');
}
