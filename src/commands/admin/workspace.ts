import type { Command } from 'commander';
import { NewUser } from '../../areas/directory/service.ts';
import { createOwnedWorkspace } from '../../start/first-workspace.ts';
import { checked } from '../arguments.ts';
import { show, table } from '../output.ts';
import { withServices } from '../with-services.ts';
import { addMoveCommands } from './workspace-move.ts';

export function addWorkspaceCommands(program: Command): void {
  const workspace = program.command('workspace').description('Workspaces; nothing crosses between them');
  workspace
    .command('create')
    .description('Create a workspace with its owner, and show the key of the owner once')
    .argument('<name>')
    .requiredOption('--owner <email>', 'the address of the owner')
    .action(createWorkspace);
  addMoveCommands(workspace);
  workspace.command('list').description('List the workspaces').action(listWorkspaces);
}

async function createWorkspace(name: string, { owner }: { owner: string }, command: Command): Promise<void> {
  checked(NewUser, { name, email: owner });
  const created = await withServices((services) =>
    services.database.write((tx) => createOwnedWorkspace(tx, services, { name, ownerEmail: owner })),
  );
  const { workspace, ownerId, key } = created;
  show(command, { ...workspace, owner_id: ownerId, key }, () =>
    [
      `Created workspace ${workspace.id} with the owner ${owner} (${ownerId}).`,
      'The key, shown only now:',
      key,
    ].join('\n'),
  );
}

async function listWorkspaces(_options: unknown, command: Command): Promise<void> {
  const workspaces = await withServices(({ database, directory }) =>
    database.read((tx) => directory.listWorkspaces(tx)),
  );
  show(command, workspaces, () =>
    table(
      ['ID', 'NAME'],
      workspaces.map(({ id, name }) => [id, name]),
    ),
  );
}
