import { type Command, Option } from 'commander';
import { NewResource } from '../../areas/directory/service.ts';
import { checked } from '../arguments.ts';
import { workspaceOption } from '../lookups.ts';
import { show, table } from '../output.ts';
import { everyItem, readInWorkspace, writeInWorkspace } from '../with-services.ts';

interface CreateOptions {
  kind: 'room' | 'equipment';
  capacity?: number;
  workspace?: string;
}

export function addResourceCommands(program: Command): void {
  const resource = program.command('resource').description('Rooms and equipment that meetings take');
  resource
    .command('create')
    .description('Create a resource')
    .argument('<name>')
    .addOption(new Option('--kind <kind>').choices(['room', 'equipment']).default('room'))
    .option('--capacity <people>', 'how many people it is made for', Number)
    .addOption(workspaceOption())
    .action(createResource);
  resource
    .command('list')
    .description('List the resources')
    .addOption(workspaceOption())
    .action(listResources);
}

async function createResource(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { kind, capacity, workspace } = options;
  const given = checked(NewResource, { name, kind, ...(capacity !== undefined && { capacity }) });
  const resource = await writeInWorkspace(workspace, (tx, workspaceId, { directory }) =>
    directory.createResource(tx, workspaceId, given),
  );
  show(command, resource, () => `Created ${resource.kind} ${resource.id} (${resource.name}).`);
}

async function listResources({ workspace }: { workspace?: string }, command: Command): Promise<void> {
  const resources = await readInWorkspace(workspace, (tx, workspaceId, { directory }) =>
    everyItem((page) => directory.listResources(tx, workspaceId, page)),
  );
  show(command, resources, () =>
    table(
      ['ID', 'NAME', 'KIND', 'CAPACITY'],
      resources.map(({ id, name, kind, capacity }) => [id, name, kind, String(capacity ?? '')]),
    ),
  );
}
