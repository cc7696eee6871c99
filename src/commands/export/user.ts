import type { Command } from 'commander';
import type { Services } from '../../start/composition.ts';
import { userNamed } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { exportAddressBooks, exportCalendars, exportDrive, exportMailbox } from './user-contents.ts';
import { ExportTarget } from './user-target.ts';

export function addExportUser(group: Command): void {
  group
    .command('user')
    .description(
      'Export everything of a user in forms that other programs take: mail as mbox, contacts as vCard, calendars as iCalendar, spreadsheets as .xlsx, documents as Markdown, files as they are; not what is in the trash of contacts and files',
    )
    .argument('<user>', 'the id, e-mail address or alias of the user')
    .argument('<directory>', 'where it goes: a new or an empty directory; its index.json says what is what')
    .action(exportUser);
}

async function exportUser(
  user: string,
  directory: string,
  _options: object,
  command: Command,
): Promise<void> {
  const progress = await withServices((services) => exportInto(services, user, directory));
  const { files, bytes } = progress;
  show(
    command,
    { directory, ...progress },
    () => `${counted(files, 'file')} (${counted(bytes, 'byte')}) exported to ${directory}.`,
  );
}

async function exportInto(services: Services, name: string, directory: string) {
  const { database, directory: people } = services;
  const owner = await database.read((tx) => userNamed(tx, people, name));
  const record = await database.read((tx) => people.getUser(tx, owner.workspaceId, owner.userId));
  const target = await ExportTarget.open(directory);
  const { progress } = target;
  const line = new ProgressLine(
    () => `${counted(progress.files, 'file')}, ${Math.round(progress.bytes / 1e6)} MB exported`,
  );
  try {
    await target.begin(record);
    await exportMailbox(services, owner, target);
    await exportAddressBooks(services, owner, target);
    await exportCalendars(services, owner, target);
    await exportDrive(services, owner, target);
    await target.finish();
    return progress;
  } finally {
    line.end();
    await target.close();
  }
}
