import type { Command } from 'commander';
import { ALL_PERMISSIONS, type Permission } from '../api/permissions.ts';
import { NewApiKey } from '../areas/keys/service.ts';
import { checked } from './checked.ts';
import { everyItem } from './everything.ts';
import { userNamed } from './named.ts';
import { repeatable, workspaceOption } from './options.ts';
import { show, table } from './output.ts';
import { withProduct, writeIn } from './session.ts';

interface CreateOptions {
  name: string;
  permission?: Permission[];
  expires?: string;
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys; each acts as one user');
  key
    .command('create')
    .description('Create an API key and show it once')
    .argument('<user>', 'the id, e-mail address or alias of the user that the key acts as')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      repeatable('--permission <permission>', 'what the key may do (repeatable; default: everything)'),
    )
    .option('--expires <time>', 'when the key stops, RFC 3339')
    .action(createKey);
  key.command('list').description('List the API keys of a user').argument('<user>').action(listKeys);
  key
    .command('revoke')
    .description('Stop an API key')
    .argument('<id>')
    .addOption(workspaceOption())
    .action(revokeKey);
}

async function createKey(user: string, options: CreateOptions, command: Command): Promise<void> {
  const { name, permission: permissions = ALL_PERMISSIONS, expires } = options;
  const given = checked(NewApiKey, {
    name,
    permissions,
    ...(expires !== undefined && { expires_at: expires }),
  });
  const created = await withProduct(({ database, directory, keys }) =>
    database.write(async (tx) => keys.createKey(tx, await userNamed(tx, directory, user), given)),
  );
  show(command, created, () => `Created API key ${created.id}. The key, shown only now:\n${created.key}`);
}

async function listKeys(user: string, _options: unknown, command: Command): Promise<void> {
  const all = await withProduct(({ database, directory, keys }) =>
    database.read(async (tx) => {
      const owner = await userNamed(tx, directory, user);
      return everyItem((page) => keys.listKeys(tx, owner, page));
    }),
  );
  show(command, all, () =>
    table(
      ['ID', 'NAME', 'PERMISSIONS', 'EXPIRES'],
      all.map(({ id, name, permissions, expires_at: expires }) => [
        id,
        name,
        permissions.length === ALL_PERMISSIONS.length ? 'all' : permissions.join(','),
        expires ?? '',
      ]),
    ),
  );
}

async function revokeKey(
  keyId: string,
  { workspace }: { workspace?: string },
  command: Command,
): Promise<void> {
  await writeIn(workspace, (tx, workspaceId, { keys }) => keys.revokeKey(tx, workspaceId, keyId));
  show(command, { id: keyId, revoked: true }, () => `Revoked API key ${keyId}.`);
}
