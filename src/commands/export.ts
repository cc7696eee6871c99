import type { Command } from 'commander';
import { addExportCalendar } from './export-calendar.ts';
import { addExportContacts } from './export-contacts.ts';
import { addExportMail } from './export-mail.ts';
import { addExportSheet } from './export-sheet.ts';
import { addExportUser } from './export-user.ts';

export function addExportCommands(program: Command): void {
  const group = program.command('export').description('Give what other programs can take');
  addExportUser(group);
  addExportMail(group);
  addExportContacts(group);
  addExportCalendar(group);
  addExportSheet(group);
}
