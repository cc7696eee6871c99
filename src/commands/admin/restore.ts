import type { Command } from 'commander';
import { lossSentences, type Progress } from '../../archive/manifest.ts';
import { restore as restoreInto } from '../../archive/restore.ts';
import { openRestoreTarget } from '../../start/composition.ts';
import { readConfig } from '../../start/config.ts';
import { brokenRules } from '../../start/verification.ts';
import { counted, show } from '../output.ts';
import { archiveProgressLine } from '../progress.ts';

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
  const line = archiveProgressLine('restored', progress);
  try {
    const manifest = await restoreInto(directory, target, progress);
    const { created_at } = manifest;
    const problems = [...(await brokenRules(target.database)), ...lossSentences(manifest)];
    show(command, { directory, created_at, ...progress, problems }, () =>
      [
        `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} (${counted(progress.bytes, 'byte')}) restored from ${directory}.`,
        ...amiss(problems),
      ].join('\n'),
    );
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    line.end();
    await target.close();
  }
}

function amiss(problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  return [
    `All that the backup holds is there, and ${counted(problems.length, 'problem')} with it:`,
    ...problems,
  ];
}
