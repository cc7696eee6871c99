import { type Command, InvalidArgumentError, Option } from 'commander';
import { GivenKey, PRESET_NAMES, type Preset, permissionsOf } from '../../areas/keys/service.ts';
import { ALL_PERMISSIONS, type Permission } from '../../contract/permissions.ts';
import { checked, repeatable } from '../arguments.ts';
import { userNamed, workspaceOption } from '../lookups.ts';
import { show, table } from '../output.ts';
import { everyItem, withServices, writeInWorkspace } from '../with-services.ts';

interface CreateOptions {
  name: string;
  permission?: Permission[];
  preset?: Preset;
  all?: true;
  expires?: string;
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys; each acts as one user');
  key
    .command('create')
    .description('Create an API key and show it once')
    .argument('<user>', 'the id, e-mail address or alias of the user that the key acts as')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(repeatable('--permission <permission>', 'what the key may do (repeatable)'))
    .addOption(
      new Option('--preset <preset>', 'what keys of a kind may do')
        .choices(PRESET_NAMES)
        .conflicts('permission'),
    )
    .addOption(new Option('--all', 'the key may do everything').conflicts(['permission', 'preset']))
    .option('--expires <time>', 'when the key stops, RFC 3339')
    .action(createKey);
  key.command('list').description('List the API keys of a user').argument('<user>').action(listKeys);
  key
    .command('revoke')
    .description('Stop an API key')
    .argument('<id>')
    .option('--made-by', 'stop what the key has made as well, and what that has made, and so on')
    .addOption(workspaceOption())
    .action(revokeKey);
}

async function createKey(user: string, options: CreateOptions, command: Command): Promise<void> {
  const { name, expires } = options;
  const given = checked(GivenKey, {
    name,
    permissions: permissionsFrom(options),
    ...(expires !== undefined && { expires_at: expires }),
  });
  const created = await withServices(({ database, directory, keys }) =>
    database.write(async (tx) => keys.createKey(tx, await userNamed(tx, directory, user), given)),
  );
  show(command, created, () => `Created API key ${created.id}. The key, shown only now:\n${created.key}`);
}

/** Omitting an option never creates a key with every permission. */
function permissionsFrom({ permission, preset, all }: CreateOptions): Permission[] {
  if (all) return ALL_PERMISSIONS;
  if (preset) return permissionsOf(preset, new Set(ALL_PERMISSIONS));
  if (permission) return permission;
  throw new InvalidArgumentError(
    'Name what the key may do by --permission, as often as needed, or by --preset, or give it everything by --all.',
  );
}

async function listKeys(user: string, _options: unknown, command: Command): Promise<void> {
  const all = await withServices(({ database, directory, keys }) =>
    database.read(async (tx) => {
      const owner = await userNamed(tx, directory, user);
      return everyItem((page) => keys.listKeys(tx, owner, page));
    }),
  );
  show(command, all, () =>
    table(
      ['ID', 'NAME', 'PERMISSIONS', 'EXPIRES', 'MADE BY'],
      all.map(({ id, name, permissions, expires_at: expires, made_by: maker }) => [
        id,
        name,
        permissions.length === ALL_PERMISSIONS.length ? 'all' : permissions.join(','),
        expires ?? '',
        maker ?? '',
      ]),
    ),
  );
}

async function revokeKey(
  keyId: string,
  { workspace, madeBy: andMade = false }: { workspace?: string; madeBy?: boolean },
  command: Command,
): Promise<void> {
  await writeInWorkspace(workspace, (tx, workspaceId, { keys }) =>
    keys.revokeKey(tx, workspaceId, keyId, { andMade }),
  );
  const whatElse = andMade ? ' and all that it has made' : '';
  show(command, { id: keyId, revoked: true }, () => `Revoked API key ${keyId}${whatElse}.`);
}
