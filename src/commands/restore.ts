import type { Command } from 'commander';
import type { Progress } from '../archive/backup.ts';
import { restore as restoreInto } from '../archive/restore.ts';
import { readConfig } from '../config.ts';
import { openRestoreTarget } from '../product.ts';
import { progressOf } from './archive-progress.ts';
import { counted, show } from './output.ts';

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('Put a backup back, into an empty data directory or database of either kind')
    .argument('<directory>', 'what `atrium backup` wrote')
    .action(restore);
}

async function restore(directory: string, _options: object, command: Command): Promise<void> {
  const progress: Progress = { rows: 0, blobs: 0, bytes: 0 };
  const target = await openRestoreTarget(readConfig());
  const line = progressOf('restored', progress);
  try {
    const { created_at } = await restoreInto(directory, target, progress);
    show(
      command,
      { directory, created_at, ...progress },
      () =>
        `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} (${counted(progress.bytes, 'byte')}) restored from ${directory}.`,
    );
  } finally {
    line.end();
    await target.close();
  }
}
