import type { Command } from 'commander';
import { addImportCalendar } from './calendar.ts';
import { addImportContacts } from './contacts.ts';
import { addImportMail } from './mail.ts';

export function addImportCommands(program: Command): void {
  const group = program.command('import').description('Bring in what other programs hold');
  addImportMail(group);
  addImportContacts(group);
  addImportCalendar(group);
}
