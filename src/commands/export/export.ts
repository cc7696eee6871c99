import type { Command } from 'commander';
import { addExportCalendar } from './calendar.ts';
import { addExportContacts } from './contacts.ts';
import { addExportMail } from './mail.ts';
import { addExportSheet } from './sheet.ts';
import { addExportUser } from './user.ts';

export function addExportCommands(program: Command): void {
  const group = program.command('export').description('Give what other programs can take');
  addExportUser(group);
  addExportMail(group);
  addExportContacts(group);
  addExportCalendar(group);
  addExportSheet(group);
}
