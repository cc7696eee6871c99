import type { Command } from 'commander';
import { type DirectoryService, GroupChanges, NewGroup } from '../../areas/directory/service.ts';
import type { ReadTransaction } from '../../storage/database.ts';
import { checked, repeatable } from '../arguments.ts';
import { userNamed, workspaceOption } from '../lookups.ts';
import { show, table } from '../output.ts';
import { everyItem, readInWorkspace, writeInWorkspace } from '../with-services.ts';

interface CreateOptions {
  member?: string[];
  workspace?: string;
}

interface SetOptions extends CreateOptions {
  name?: string;
}

export function addGroupCommands(program: Command): void {
  const group = program.command('group').description('Groups of users, to share with');
  group
    .command('create')
    .description('Create a group')
    .argument('<name>')
    .addOption(repeatable('--member <user>', 'a member (repeatable)'))
    .addOption(workspaceOption())
    .action(createGroup);
  group.command('list').description('List the groups').addOption(workspaceOption()).action(listGroups);
  group
    .command('set')
    .description('Change the name of a group, or who its members are')
    .argument('<id>')
    .option('--name <name>')
    .addOption(repeatable('--member <user>', 'a member (repeatable); they replace the former ones'))
    .addOption(workspaceOption())
    .action(setGroup);
}

async function createGroup(name: string, options: CreateOptions, command: Command): Promise<void> {
  const group = await writeInWorkspace(options.workspace, async (tx, workspaceId, { directory }) => {
    const memberIds = await userIds(tx, directory, options.member ?? []);
    return directory.createGroup(tx, workspaceId, checked(NewGroup, { name, member_ids: memberIds }));
  });
  show(command, group, () => `Created group ${group.id} (${group.name}).`);
}

async function listGroups({ workspace }: { workspace?: string }, command: Command): Promise<void> {
  const groups = await readInWorkspace(workspace, (tx, workspaceId, { directory }) =>
    everyItem((page) => directory.listGroups(tx, workspaceId, page)),
  );
  show(command, groups, () =>
    table(
      ['ID', 'NAME', 'MEMBERS'],
      groups.map(({ id, name, member_ids: members }) => [id, name, String(members.length)]),
    ),
  );
}

async function setGroup(groupId: string, options: SetOptions, command: Command): Promise<void> {
  const { name, member } = options;
  const group = await writeInWorkspace(options.workspace, async (tx, workspaceId, { directory }) => {
    const changes = checked(GroupChanges, {
      ...(name !== undefined && { name }),
      ...(member && { member_ids: await userIds(tx, directory, member) }),
    });
    return directory.updateGroup(tx, workspaceId, groupId, changes);
  });
  show(command, group, () => `Group ${group.id} (${group.name}) has ${group.member_ids.length} members.`);
}

async function userIds(
  tx: ReadTransaction,
  directory: DirectoryService,
  names: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await userNamed(tx, directory, name)).userId);
  return ids;
}
