import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { ApiError } from '../api/errors.ts';
import type { CalendarOwner } from '../areas/calendar/service.ts';
import type { Product } from '../product.ts';
import type { ReadTransaction } from '../storage/database.ts';
import { calendarNamed, calendarOption } from './calendar.ts';
import { reasonOf } from './mail-source.ts';
import { userNamed } from './named.ts';
import { counted, show } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { withProduct } from './session.ts';

/** What an import has done; a file of which nothing could be taken has no index. */
interface Report {
  created: number;
  updated: number;
  skipped: { source: string; index?: number; reason: string }[];
}

/** The calendar that a command is about. */
interface Target {
  owner: CalendarOwner;
  calendarId: string;
}

export function addImportCalendar(group: Command): void {
  group
    .command('calendar')
    .description('Import the times of events from iCalendar files; the same UID updates')
    .argument('<user>', 'the id, e-mail address or alias of the user whose events they become')
    .argument('<file...>', 'iCalendar files, each taken whole or not at all')
    .addOption(calendarOption())
    .action(importCalendar);
}

async function importCalendar(
  user: string,
  files: string[],
  { calendar }: { calendar?: string },
  command: Command,
): Promise<void> {
  const report = await withProduct(async (product) => {
    const target = await product.database.read((tx) => targetNamed(tx, product, user, calendar));
    return importFiles(product, target, files);
  });
  show(command, report, () => asText(report));
  if (report.skipped.some(({ index }) => index === undefined)) process.exitCode = 1;
}

/** Throws ApiError not_found. */
async function targetNamed(
  tx: ReadTransaction,
  product: Product,
  user: string,
  wanted: string | undefined,
): Promise<Target> {
  const owner = await userNamed(tx, product.directory, user);
  return { owner, calendarId: (await calendarNamed(tx, product, owner, wanted)).id };
}

async function importFiles(product: Product, target: Target, files: readonly string[]): Promise<Report> {
  const report: Report = { created: 0, updated: 0, skipped: [] };
  const line = new ProgressLine(() => `${report.created} created, ${report.updated} updated`);
  try {
    for (const source of files) await importFile(product, target, source, report);
  } finally {
    line.end();
  }
  return report;
}

/** Adds what comes of a file to the report. Rejects when the storage fails. */
async function importFile(
  { calendar, database }: Product,
  { owner, calendarId }: Target,
  source: string,
  report: Report,
): Promise<void> {
  try {
    const received = await calendar.receiveEvents(createReadStream(source));
    const done = await database.write((tx) => calendar.importEvents(tx, owner, calendarId, received));
    report.created += done.created;
    report.updated += done.updated;
    report.skipped.push(...done.skipped.map((skip) => ({ source, ...skip })));
  } catch (error) {
    if (!isOfFile(error)) throw error;
    report.skipped.push({ source, reason: reasonOf(error) });
  }
}

/** Whether the next file may fare better: this one could not be read, or was refused. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof ApiError || (error instanceof Error && 'errno' in error);
}

function asText({ created, updated, skipped }: Report): string {
  const lines = [`${counted(created, 'event')} created, ${updated} updated, ${skipped.length} skipped.`];
  const skips = skipped.map(({ source, index, reason }) => {
    const place = index === undefined ? source : `component ${index} of ${source}`;
    return `skipped ${place}: ${reason}`;
  });
  return [...lines, ...skips].join('\n');
}
