import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Content } from '../../../client/src/content.ts';
import { show, wantsJson } from '../output.ts';
import { ProgressLine, TransferMeter, type TransferProgress } from '../progress.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from '../transfer/connection.ts';
import { writeFileFrom } from './export-output.ts';

interface ExportOptions extends ConnectionOptions {
  format: 'xlsx' | 'csv';
  sheet?: string;
}

export function addExportSheet(group: Command): void {
  const command = group
    .command('sheet')
    .description('Export a spreadsheet from a server as .xlsx, or one of its sheets as .csv')
    .argument('<id>')
    .argument('[file]', 'the file to write (default: standard output)')
    .addOption(new Option('--format <format>', 'xlsx or csv').choices(['xlsx', 'csv']).default('xlsx'))
    .option('--sheet <name>', 'only this sheet (default: all as .xlsx, the first as .csv)');
  withConnectionOptions(command).action(exportSheet);
}

async function exportSheet(
  id: string,
  file: string | undefined,
  options: ExportOptions,
  command: Command,
): Promise<void> {
  refuseOutput(file, options, wantsJson(command));
  const { atrium } = await connect(options);
  const progress: TransferProgress = { done: 0, total: 0 };
  const meter = new TransferMeter();
  const line = new ProgressLine(() =>
    progress.total > 0 ? meter.text(progress) : 'The server writes the file …',
  );
  try {
    const { format, sheet } = options;
    const query = { format, ...(sheet !== undefined && { sheet }) };
    await bring(await atrium.spreadsheets.exportSpreadsheet(id, query), file, progress);
  } finally {
    line.end();
  }
  if (file === undefined) return;
  const report = { id, path: file, size_bytes: progress.done };
  show(command, report, () => `Exported ${file} (${progress.done} bytes).`);
}

function refuseOutput(file: string | undefined, { format }: ExportOptions, isJson: boolean): void {
  if (file !== undefined) return;
  if (isJson) throw new InvalidArgumentError('With --json, name the file that the spreadsheet goes to.');
  if (format === 'csv' || !process.stdout.isTTY) return;
  throw new InvalidArgumentError(
    'An .xlsx file is nothing to look at here; name a file, or use --format csv.',
  );
}

async function bring(content: Content, file: string | undefined, progress: TransferProgress): Promise<void> {
  progress.total = content.size ?? 0;
  const source = counted(content, progress);
  if (file !== undefined) return writeFileFrom(source, file);
  await pipeline(source, process.stdout, { end: false });
}

async function* counted(content: Content, progress: TransferProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    progress.done += chunk.length;
    yield chunk;
  }
}
