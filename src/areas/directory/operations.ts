import type { Operation } from '../../contract/operation.ts';
import { groupOperations } from './group-operations.ts';
import { resourceOperations } from './resource-operations.ts';
import type { DirectoryService } from './service.ts';
import { userOperations } from './user-operations.ts';

/** Users, groups and resources of a workspace. */
export function directoryOperations(directory: DirectoryService): Operation[] {
  return [...userOperations(directory), ...groupOperations(directory), ...resourceOperations(directory)];
}
