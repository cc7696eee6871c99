import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { CalendarOwner } from '../../areas/calendar/service.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Services } from '../../start/composition.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { calendarNamed, calendarOption, userNamed } from '../lookups.ts';
import { show } from '../output.ts';
import { ProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';
import { ImportTally, withAllOption } from './import-tally.ts';
import { filesIn, type NamedFile, reasonOf } from './named-files.ts';

/** The calendar that a command imports into. */
interface Target {
  owner: CalendarOwner;
  calendarId: string;
}

export function addImportCalendar(group: Command): void {
  const command = group
    .command('calendar')
    .description('Import the times of events from iCalendar files; the same UID updates')
    .argument('<user>', 'the id, e-mail address or alias of the user whose events they become')
    .argument('<path...>', 'iCalendar files, each taken whole or not at all, and directories of them')
    .addOption(calendarOption());
  withAllOption(command).action(importCalendar);
}

async function importCalendar(
  user: string,
  paths: string[],
  { calendar, all }: { calendar?: string; all?: boolean },
  command: Command,
): Promise<void> {
  const tally = new ImportTally();
  await withServices(async (services) => {
    const target = await services.database.read((tx) => targetNamed(tx, services, user, calendar));
    await importFiles(services, target, paths, tally);
  });
  show(command, tally.report, () => tally.asText('event', 'component', all === true));
  if (tally.hasFailed) process.exitCode = 1;
}

/** Throws ApiError not_found. */
async function targetNamed(
  tx: ReadTransaction,
  services: Services,
  user: string,
  wanted: string | undefined,
): Promise<Target> {
  const owner = await userNamed(tx, services.directory, user);
  return { owner, calendarId: (await calendarNamed(tx, services, owner, wanted)).id };
}

async function importFiles(
  services: Services,
  target: Target,
  paths: readonly string[],
  tally: ImportTally,
): Promise<void> {
  const line = new ProgressLine(() => tally.progress);
  try {
    for (const found of filesIn(paths, { takesPipes: true })) {
      if (found.kind === 'skipped') tally.skipName(found);
      else await importFile(services, target, found, tally);
    }
  } finally {
    line.end();
  }
}

/** Adds the result of a file to the tally. Rejects when the storage fails. */
async function importFile(
  { calendar, database }: Services,
  { owner, calendarId }: Target,
  file: NamedFile,
  tally: ImportTally,
): Promise<void> {
  try {
    const received = await calendar.receiveEvents(owner, contentOf(file));
    const done = await database.write((tx) => calendar.importEvents(tx, owner, calendarId, received));
    tally.add(file, done);
    for (const skip of done.skipped) tally.skip(file, skip);
    if (received.events.length + received.skipped.length === 0) tally.skip(file, { reason: 'empty' });
  } catch (error) {
    if (!isOfFile(error)) throw error;
    tally.skip(file, { reason: reasonOf(error) });
  }
}

/** Opens the file only when it is read: before that, nothing would handle an error of opening it. */
async function* contentOf({ path }: NamedFile): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Whether the error concerns this file only, which could not be read or was refused: the next file may succeed. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof ApiError || (error instanceof Error && 'errno' in error);
}
