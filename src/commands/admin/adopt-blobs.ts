import type { Command } from 'commander';
import { adoptBlobs } from '../../start/composition.ts';
import { readConfig } from '../../start/config.ts';
import { show } from '../output.ts';

export function addAdoptBlobsCommand(program: Command): void {
  program
    .command('adopt-blobs')
    .description(
      'Take the blob store of the settings for that of the database: where blobs were moved by hand, or its marker was lost',
    )
    .action(adopt);
}

async function adopt(_options: object, command: Command): Promise<void> {
  await adoptBlobs(readConfig());
  show(
    command,
    { adopted: true },
    () => 'The database is used with this blob store from now on; `atrium verify` says what is not in it.',
  );
}
