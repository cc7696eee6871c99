import type { Command } from 'commander';
import { calendarNamed, calendarOption, userNamed } from '../lookups.ts';
import { show } from '../output.ts';
import { withServices } from '../with-services.ts';
import { refuseMixedOutput, writeOutput } from './export-output.ts';

interface ExportOptions {
  calendar?: string;
  output?: string;
}

export function addExportCalendar(group: Command): void {
  group
    .command('calendar')
    .description('Export when the events of a calendar are as iCalendar; what they are about is never stored')
    .argument('<user>', 'the id, e-mail address or alias of the user whose calendar it is')
    .addOption(calendarOption())
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(exportCalendar);
}

async function exportCalendar(
  user: string,
  { calendar: name, output }: ExportOptions,
  command: Command,
): Promise<void> {
  refuseMixedOutput(output, command);
  const found = await withServices(async (services) => {
    const { database, directory, calendar } = services;
    const owner = await database.read((tx) => userNamed(tx, directory, user));
    const wanted = await database.read((tx) => calendarNamed(tx, services, owner, name));
    await writeOutput(calendar.exportCalendar(owner, wanted.id), output);
    return wanted;
  });
  if (output === undefined) return;
  show(command, { calendar_id: found.id, output }, () => `Calendar ${found.name} exported to ${output}.`);
}
