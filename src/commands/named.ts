import { InvalidArgumentError } from 'commander';
import { ApiError } from '../api/errors.ts';
import type { DirectoryService, FoundUser, Workspace } from '../areas/directory/service.ts';
import type { ReadTransaction } from '../storage/database.ts';

/** The user of an id or address, whichever workspace it is in. Throws ApiError not_found. */
export async function userNamed(
  tx: ReadTransaction,
  directory: DirectoryService,
  name: string,
): Promise<FoundUser> {
  const found = await directory.findUser(tx, name);
  if (!found) throw new ApiError('not_found', `There is no user ${name}.`, { resource: 'user', id: name });
  return found;
}

/**
 * The workspace of an id or name; the only one when none is named. Throws ApiError not_found, and
 * InvalidArgumentError when it could be several.
 */
export async function workspaceNamed(
  tx: ReadTransaction,
  directory: DirectoryService,
  name: string | undefined,
): Promise<Workspace> {
  const all = await directory.listWorkspaces(tx);
  const [found, another] = all.filter((workspace) => name === undefined || matches(workspace, name));
  if (another) {
    throw new InvalidArgumentError(
      'There are several such workspaces: name one by its id, with --workspace.',
    );
  }
  if (found) return found;
  throw new ApiError(
    'not_found',
    name === undefined ? 'There is no workspace yet.' : `There is no workspace ${name}.`,
    {
      resource: 'workspace',
      id: name ?? '',
    },
  );
}

function matches({ id, name }: Workspace, wanted: string): boolean {
  return id === wanted || name === wanted;
}
