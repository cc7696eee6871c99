import type { Command } from 'commander';
import { show } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './transfer/connection.ts';
import { downloadFile } from './transfer/file-download.ts';
import { bar } from './transfer/progress-bar.ts';

interface DownloadOptions extends ConnectionOptions {
  output?: string;
}

export function addDownloadCommand(program: Command): void {
  const command = program
    .command('download')
    .description('Download a file from a server; run again after a break, it goes on where it stopped')
    .argument('<id>')
    .option('-o, --output <path>', 'where to put it; default: its own name in this directory');
  withConnectionOptions(command).action(download);
}

async function download(id: string, options: DownloadOptions, command: Command): Promise<void> {
  const { atrium } = connect(options);
  const progress = { done: 0, total: 0 };
  const line = new ProgressLine(() => bar(progress));
  try {
    const record = await downloadFile(atrium, id, options.output, progress);
    show(command, record, () => `Downloaded ${record.path} (${record.size_bytes} bytes).`);
  } finally {
    line.end();
  }
}
