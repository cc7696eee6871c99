import type { Command } from 'commander';
import { NewUser, newUserProblems } from '../../areas/directory/service.ts';
import { checked, repeatable } from '../arguments.ts';
import { userNamed, workspaceOption } from '../lookups.ts';
import { show, table } from '../output.ts';
import { everyItem, readInWorkspace, withServices, writeInWorkspace } from '../with-services.ts';

interface CreateOptions {
  name: string;
  alias?: string[];
  timeZone?: string;
  owner?: true;
  workspace?: string;
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('Users; USER is an id, an e-mail address or an alias');
  user
    .command('create')
    .description('Create a user')
    .argument('<email>')
    .requiredOption('--name <name>')
    .addOption(repeatable('--alias <address>', 'a further address (repeatable)'))
    .option('--time-zone <zone>', 'an IANA time zone (default: UTC)')
    .option('--owner', 'make the user an owner of the workspace')
    .addOption(workspaceOption())
    .action(createUser);
  user.command('list').description('List the users').addOption(workspaceOption()).action(listUsers);
  user
    .command('suspend')
    .description('Stop the API keys of a user, and refuse mail for the user')
    .argument('<user>')
    .action((name: string, _options: unknown, command: Command) => setState(name, 'suspended', command));
  user
    .command('activate')
    .description('End the suspension of a user')
    .argument('<user>')
    .action((name: string, _options: unknown, command: Command) => setState(name, 'active', command));
}

async function createUser(email: string, options: CreateOptions, command: Command): Promise<void> {
  const { name, alias: aliases, timeZone, owner: isOwner, workspace } = options;
  const given = checked(
    NewUser,
    { email, name, ...(aliases && { aliases }), ...(timeZone !== undefined && { time_zone: timeZone }) },
    newUserProblems,
  );
  const user = await writeInWorkspace(workspace, (tx, workspaceId, { directory }) =>
    directory.createUser(tx, workspaceId, given, { isOwner }),
  );
  show(command, user, () => `Created user ${user.id} (${user.email}).`);
}

async function listUsers({ workspace }: { workspace?: string }, command: Command): Promise<void> {
  const users = await readInWorkspace(workspace, (tx, workspaceId, { directory }) =>
    everyItem((page) => directory.listUsers(tx, workspaceId, '', page)),
  );
  show(command, users, () =>
    table(
      ['ID', 'EMAIL', 'NAME', 'STATE'],
      users.map(({ id, email, name, state }) => [id, email, name, state]),
    ),
  );
}

async function setState(name: string, state: 'active' | 'suspended', command: Command): Promise<void> {
  const user = await withServices(({ database, directory }) =>
    database.write(async (tx) => {
      const { workspaceId, userId } = await userNamed(tx, directory, name);
      return directory.updateUser(tx, workspaceId, userId, { state });
    }),
  );
  show(command, user, () => `User ${user.id} (${user.email}) is ${user.state}.`);
}
