import type { Command } from 'commander';
import { backUp } from '../../archive/backup.ts';
import { lossSentences, type Progress } from '../../archive/manifest.ts';
import { refuseEmpty } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { archiveProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('Back everything up, as of one moment, while the server goes on')
    .argument('<directory>', 'where the backup goes: a new or an empty directory')
    .action(backup);
}

async function backup(directory: string, _options: object, command: Command): Promise<void> {
  const progress: Progress = { rows: 0, blobs: 0, bytes: 0 };
  const line = archiveProgressLine('backed up', progress);
  const manifest = await withServices(async (services) => {
    await refuseEmpty(services);
    return backUp(services, directory, progress);
  }).finally(() => line.end());
  const problems = lossSentences(manifest);
  const { created_at } = manifest;
  show(command, { directory, created_at, ...progress, problems }, () =>
    [
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} (${counted(progress.bytes, 'byte')}) backed up to ${directory}.`,
      ...losses(problems),
    ].join('\n'),
  );
  if (problems.length > 0) process.exitCode = 1;
}

function losses(problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  const what = `The backup is whole but for ${counted(problems.length, 'blob')} that the store has lost or damaged:`;
  return [what, ...problems];
}
