import type { Command } from 'commander';
import type { FileRecord } from '../../client/src/generated/areas.ts';
import { show } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './transfer/connection.ts';
import { uploadFile } from './transfer/file-upload.ts';
import { bar } from './transfer/progress-bar.ts';

interface UploadOptions extends ConnectionOptions {
  folder: string;
}

export function addUploadCommand(program: Command): void {
  const command = program
    .command('upload')
    .description('Upload files to a server; run again after a break, it goes on where it stopped')
    .argument('<file...>')
    .option('--folder <id>', 'the file folder they go to; default: the root', '');
  withConnectionOptions(command).action(upload);
}

async function upload(paths: string[], options: UploadOptions, command: Command): Promise<void> {
  const connection = connect(options);
  const progress = { done: 0, total: 0 };
  const line = new ProgressLine(() => bar(progress));
  const records: FileRecord[] = [];
  try {
    for (const path of paths) records.push(await uploadFile(connection, path, options.folder, progress));
  } finally {
    line.end();
  }
  show(command, records, () => records.map(sentence).join('\n'));
}

function sentence({ id, filename, size_bytes: size }: FileRecord): string {
  return `Uploaded ${filename} (${size} bytes) as ${id}.`;
}
