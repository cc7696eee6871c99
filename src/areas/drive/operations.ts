import type { Operation } from '../../contract/operation.ts';
import { fileOperations } from './file-operations.ts';
import { folderOperations } from './folder-operations.ts';
import type { FilesService } from './service.ts';
import { sharingOperations } from './sharing/sharing-operations.ts';

/** The drive: files, file folders, and who they are shared with. */
export function filesOperations(files: FilesService): Operation[] {
  return [...fileOperations(files), ...folderOperations(files), ...sharingOperations(files)];
}
