import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { show, wantsJson } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import type { ApiClient } from './transfer/api-client.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './transfer/connection.ts';
import type { TransferProgress } from './transfer/file-upload.ts';
import { bar } from './transfer/progress-bar.ts';

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
  const { client } = connect(options);
  const progress: TransferProgress = { done: 0, total: 0 };
  const line = new ProgressLine(() => (progress.total > 0 ? bar(progress) : 'The server writes the file …'));
  try {
    await bring(client, pathOf(id, options), file, progress);
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

function pathOf(id: string, { format, sheet }: ExportOptions): string {
  const query = new URLSearchParams({ format, ...(sheet !== undefined && { sheet }) });
  return `/v1/spreadsheets/${encodeURIComponent(id)}/export?${query}`;
}

async function bring(
  client: ApiClient,
  path: string,
  file: string | undefined,
  progress: TransferProgress,
): Promise<void> {
  const { body, headers } = await client.send({ path });
  progress.total = Number(headers.get('content-length') ?? 0);
  const source = counted(body ?? [], progress);
  if (file !== undefined) return pipeline(source, createWriteStream(file, { mode: 0o600 }));
  await pipeline(source, process.stdout, { end: false });
}

async function* counted(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  progress: TransferProgress,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    progress.done += chunk.length;
    yield chunk;
  }
}
