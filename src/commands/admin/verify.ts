import type { Command } from 'commander';
import type { Progress } from '../../archive/manifest.ts';
import { verifyArchive } from '../../archive/open-archive.ts';
import type { Services } from '../../start/composition.ts';
import { verify as verifyStored } from '../../start/verification.ts';
import { refuseEmpty } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { archiveProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('Hold what is stored against what must hold, or read a backup through')
    .argument('[backup]', 'what `atrium backup` wrote (default: the data of the settings)')
    .action(verify);
}

async function verify(backup: string | undefined, _options: object, command: Command): Promise<void> {
  const progress: Progress = { rows: 0, blobs: 0, bytes: 0 };
  const line = archiveProgressLine('verified', progress);
  const problems = await problemsOf(backup, progress).finally(() => line.end());
  show(command, { ...progress, problems }, () =>
    [
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} (${counted(progress.bytes, 'byte')}) read; ${counted(problems.length, 'problem')}.`,
      ...problems,
    ].join('\n'),
  );
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * A backup is either intact or not: its first damage ends the command. The report lists data that was lost before the
 * backup.
 */
async function problemsOf(backup: string | undefined, progress: Progress): Promise<string[]> {
  if (backup !== undefined) return verifyArchive(backup, progress);
  return withServices((services) => problemsStored(services, progress));
}

async function problemsStored(services: Services, progress: Progress): Promise<string[]> {
  await refuseEmpty(services);
  return verifyStored(services, progress);
}
