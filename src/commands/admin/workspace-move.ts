import { type Command, InvalidArgumentError } from 'commander';
import type { Progress } from '../../archive/manifest.ts';
import { abandonMove, purgeWorkspace } from '../../archive/moving/ending.ts';
import { moveWorkspace } from '../../archive/moving/move.ts';
import { openServices, type Services } from '../../start/composition.ts';
import { readSettingsFile } from '../../start/config.ts';
import { workspaceNamed } from '../lookups.ts';
import { counted, show } from '../output.ts';
import { archiveProgressLine } from '../progress.ts';
import { withServices } from '../with-services.ts';

interface MoveOptions {
  to: string;
  url?: string;
  abandon?: boolean;
}

/** Adds `workspace move` and `workspace purge`. */
export function addMoveCommands(workspace: Command): void {
  workspace
    .command('move')
    .description('Move a workspace to another installation, or go on with a move that broke off')
    .argument('<workspace>', 'its id or name')
    .requiredOption('--to <file>', "a file with the other installation's settings, a NAME=value a line")
    .option(
      '--url <url>',
      'where clients find the workspace afterwards; they are told when they ask here',
      webAddress,
    )
    .option('--abandon', 'give the move up: it is removed there, and written here again')
    .action(move);
  workspace
    .command('purge')
    .description('Remove what a workspace that has moved away left here')
    .argument('<workspace>', 'its id or name')
    .action(purge);
}

function webAddress(given: string): string {
  if (/^https?:$/.test(URL.parse(given)?.protocol ?? '')) return given;
  throw new InvalidArgumentError('It must be of the form https://host or http://host:port.');
}

async function move(name: string, { to, url, abandon }: MoveOptions, command: Command): Promise<void> {
  const settings = readSettingsFile(to);
  const progress: Progress = { rows: 0, blobs: 0, bytes: 0 };
  await withServices(async (source) => {
    const { id: workspaceId } = await source.database.read((tx) =>
      workspaceNamed(tx, source.directory, name),
    );
    const target = await openServices(settings);
    const line = archiveProgressLine('moved', progress);
    try {
      if (abandon) {
        await abandonMove({ source, target, workspaceId });
        show(
          command,
          { workspace_id: workspaceId, abandoned: true },
          () => `The workspace ${workspaceId} is served here as before.`,
        );
        return;
      }
      const { problems } = await moveWorkspace(
        { source, target, workspaceId, location: url ?? null },
        progress,
      );
      line.end();
      showMoved(command, workspaceId, progress, problems);
    } finally {
      line.end();
      await target.close();
    }
  });
}

function showMoved(command: Command, workspaceId: string, progress: Progress, problems: string[]): void {
  const { rows, blobs, bytes } = progress;
  show(command, { workspace_id: workspaceId, rows, blobs, bytes, problems }, () =>
    [
      `The workspace ${workspaceId} is served by the other installation: ${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} (${counted(progress.bytes, 'byte')}) moved.`,
      ...problems,
      `\`atrium workspace purge ${workspaceId}\` removes what it left here.`,
    ].join('\n'),
  );
  if (problems.length > 0) process.exitCode = 1;
}

async function purge(name: string, _options: object, command: Command): Promise<void> {
  const progress: Progress = { rows: 0, blobs: 0, bytes: 0 };
  const line = archiveProgressLine('removed', progress);
  const workspaceId = await withServices((services) => purgeNamed(services, name, progress)).finally(() =>
    line.end(),
  );
  show(
    command,
    { workspace_id: workspaceId, rows: progress.rows, blobs: progress.blobs },
    () =>
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} of the workspace ${workspaceId} removed.`,
  );
}

async function purgeNamed(services: Services, name: string, progress: Progress): Promise<string> {
  const { database, directory } = services;
  const { id } = await database.read((tx) => workspaceNamed(tx, directory, name));
  await purgeWorkspace(services, id, progress);
  return id;
}
