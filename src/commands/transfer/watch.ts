import type { Command } from 'commander';
import type { FollowedChange } from '../../../client/src/changes.ts';
import type { ChangeTypeName } from '../../../client/src/generated/areas.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface WatchOptions extends ConnectionOptions {
  types?: ChangeTypeName[];
  cursor?: string;
}

export function addWatchCommand(program: Command): void {
  const command = program
    .command('watch')
    .description('Print changes as they come, a line for each, until it is stopped')
    .option('--types <type...>', 'only these, such as message.created, or kinds, such as message.*')
    .option('--cursor <cursor>', 'where to begin; default: now');
  withConnectionOptions(command).action(watch);
}

async function watch({ types, cursor, ...options }: WatchOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  for await (const change of atrium.changes.follow(cursor, { ...(types && { types }) }))
    process.stdout.write(`${json ? JSON.stringify(change) : lineOf(change)}\n`);
}

/** Such as `2026-03-02T09:00:00.000Z message.created folder_id=fld_… message_ids=msg_…,msg_…`. */
function lineOf({ at, type, ids }: FollowedChange): string {
  const named = Object.entries(ids).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? value.join() : value}`,
  );
  return [at, type, ...named].join(' ');
}
