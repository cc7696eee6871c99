import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { adoptBlobs } from '../product.ts';
import { show } from './output.ts';

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
