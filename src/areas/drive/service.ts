import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Content, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DirectoryService } from '../directory/service.ts';
import { createFile, type NewFile } from './creating.ts';
import {
  createFileFolder,
  listFileFolders,
  restoreFileFolder,
  trashFileFolder,
  updateFileFolder,
} from './file-folders.ts';
import type { NodeFilter } from './listing/listing.ts';
import { emitNode, type SeenNode } from './node-changes.ts';
import { contentOf, type FileDependencies, fileOf, findStoredFile, Nodes, type StoredFile } from './nodes.ts';
import type { DriveOwner } from './owner.ts';
import { type Reached, Rights, type Wanted } from './rights.ts';
import type {
  Access,
  FileChanges,
  FileFolderChanges,
  NewFileFolder,
  NewPermissionGrant,
  PermissionGrant,
} from './schema.ts';
import { listAccess } from './sharing/access.ts';
import { listPermissions, revoke, type SharingDependencies, share } from './sharing/sharing.ts';

export {
  type DriveOwner,
  emitNode,
  type NewFile,
  type NodeFilter,
  type Nodes,
  type Reached,
  type SeenNode,
  type StoredFile,
  type Wanted,
};

/** The rules of the drive: files, folders, trash and sharing. Every method works within the caller's transaction. */
export class FilesService {
  /** The operations that files share with documents. The documents service calls them. */
  readonly nodes: Nodes;
  readonly #dependencies: FileDependencies & SharingDependencies;

  constructor({ directory, blobs }: { directory: DirectoryService; blobs: BlobStore }) {
    const rights = new Rights(directory);
    this.nodes = new Nodes(rights);
    this.#dependencies = { directory, blobs, rights, nodes: this.nodes };
  }

  /** The files that a user has access to, newest first; or the user's own files in the trash. */
  listFiles(
    tx: ReadTransaction,
    user: DriveOwner,
    filter: Omit<NodeFilter, 'kinds'>,
    page: PageRequest,
  ): Promise<Page> {
    return this.nodes.list(tx, user, { ...filter, kinds: ['file'] }, page);
  }

  /** Throws ApiError not_found. */
  getFile(tx: ReadTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return this.nodes.get(tx, user, fileOf(id));
  }

  /** Creates a file from stored bytes in a folder of its owner. Throws ApiError not_found or folder_trashed. */
  createFile(tx: WriteTransaction, owner: DriveOwner, file: NewFile): Promise<JsonText> {
    return createFile(tx, owner, file);
  }

  /** Throws ApiError not_found for the file or the folder, forbidden or folder_trashed. */
  updateFile(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    { title, folder_id: parentId }: FileChanges,
  ): Promise<JsonText> {
    return this.nodes.update(tx, user, fileOf(id), { title, parentId });
  }

  /** Moves a file to the trash. Throws ApiError not_found or forbidden. */
  trashFile(tx: WriteTransaction, user: DriveOwner, id: string): Promise<void> {
    return this.nodes.trash(tx, user, fileOf(id));
  }

  /** Throws ApiError not_found or forbidden. */
  restoreFile(tx: WriteTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return this.nodes.restore(tx, user, fileOf(id));
  }

  /** The bytes of a file as a download. Throws ApiError not_found or forbidden. */
  async getContent(tx: ReadTransaction, user: DriveOwner, id: string): Promise<Content> {
    return contentOf(await this.findStoredFile(tx, user, id));
  }

  /** The stored bytes of a file that the user may read, for example to attach it. Throws ApiError not_found or forbidden. */
  findStoredFile(tx: ReadTransaction, user: DriveOwner, id: string): Promise<StoredFile> {
    return findStoredFile(tx, this.#dependencies, user, id);
  }

  /** All active folders of a user, or all folders that were trashed themselves. */
  listFolders(tx: ReadTransaction, owner: DriveOwner, trashed: boolean): Promise<readonly JsonText[]> {
    return listFileFolders(tx, owner, trashed);
  }

  /** Throws ApiError not_found for the parent, or folder_trashed. */
  createFolder(tx: WriteTransaction, owner: DriveOwner, given: NewFileFolder): Promise<JsonText> {
    return createFileFolder(tx, owner, given);
  }

  /** Throws ApiError not_found for the folder or the parent, folder_cycle or folder_trashed. */
  updateFolder(
    tx: WriteTransaction,
    owner: DriveOwner,
    id: string,
    changes: FileFolderChanges,
  ): Promise<JsonText> {
    return updateFileFolder(tx, owner, id, changes);
  }

  /** Moves a folder to the trash and hides what is in it. Throws ApiError not_found. */
  trashFolder(tx: WriteTransaction, owner: DriveOwner, id: string): Promise<void> {
    return trashFileFolder(tx, owner, id);
  }

  /** Restores a folder and exactly the nodes that were hidden with it. Throws ApiError not_found. */
  restoreFolder(tx: WriteTransaction, owner: DriveOwner, id: string): Promise<JsonText> {
    return restoreFileFolder(tx, owner, id);
  }

  /** Gives a user or a group a role on a file or document. Throws ApiError not_found or forbidden. */
  share(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    given: NewPermissionGrant,
  ): Promise<PermissionGrant> {
    return share(tx, this.#dependencies, user, id, given);
  }

  /** Throws ApiError not_found. */
  listPermissions(tx: ReadTransaction, user: DriveOwner, id: string): Promise<PermissionGrant[]> {
    return listPermissions(tx, this.#dependencies, user, id);
  }

  /** Revokes a grant, or gives up the user's own. Throws ApiError not_found or forbidden. */
  revoke(tx: WriteTransaction, user: DriveOwner, id: string, grantId: string): Promise<void> {
    return revoke(tx, this.#dependencies, user, id, grantId);
  }

  /** All users with access to a file or document, and the source of their access. Throws ApiError not_found. */
  listAccess(tx: ReadTransaction, user: DriveOwner, id: string): Promise<Access[]> {
    return listAccess(tx, this.#dependencies, user, id);
  }
}
