import type { Readable } from 'node:stream';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Content, JsonText, Page, PageRequest } from '../../contract/answers.ts';
import type { Principal } from '../../contract/principal.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import type { DirectoryService } from '../directory/service.ts';
import { createFile, type NewFile } from './create-node.ts';
import {
  createFileFolder,
  type FolderFilter,
  listFileFolders,
  restoreFileFolder,
  trashFileFolder,
  updateFileFolder,
} from './file-folders.ts';
import { folderOf } from './folders.ts';
import type { NodeFilter } from './listing/listing.ts';
import { emitNode, type SeenNode } from './node-changes.ts';
import type { NodeKind } from './node-store.ts';
import {
  contentOf,
  type FileDependencies,
  fileOf,
  findStoredFile,
  Nodes,
  type StoredFile,
  type WithParts,
} from './nodes.ts';
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
import {
  type FolderOfSearch,
  type FoundNode,
  foldersOfSearch,
  foundNodes,
  type IndexedNode,
  indexedNodes,
  type SearchedFolder,
  type StoredBytes,
  searchedFolders,
} from './search/searched-nodes.ts';
import { listNodeKeysAfter } from './search/searched-store.ts';
import { listAccess } from './sharing/access.ts';
import type { ComposeNotice, Notice, SharingDependencies } from './sharing/dependencies.ts';
import { listPermissions, revoke, share } from './sharing/grants.ts';
import { prepareNotice } from './sharing/notices.ts';

export { File as FileRecord, Include, OwnRole, RecordQuery, Title as FileTitle } from './schema.ts';
export {
  type ComposeNotice,
  type DriveOwner,
  emitNode,
  type FoundNode,
  type IndexedNode,
  type NewFile,
  type NodeFilter,
  type Nodes,
  type Reached,
  type SearchedFolder,
  type SeenNode,
  type StoredBytes,
  type StoredFile,
  type Wanted,
  type WithParts,
};

/** The rules of the drive: files, folders, trash and sharing. Every method works within the caller's transaction. */
export class FilesService {
  /** The operations that files share with documents. The documents service calls them. */
  readonly nodes: Nodes;
  /** Access control, for uploads. */
  readonly rights: Rights;
  readonly #dependencies: FileDependencies & SharingDependencies;

  constructor({
    database,
    directory,
    blobs,
    composeNotice,
  }: {
    database: Database;
    directory: DirectoryService;
    blobs: BlobStore;
    composeNotice: ComposeNotice;
  }) {
    const rights = new Rights(directory);
    this.rights = rights;
    this.nodes = new Nodes(rights);
    this.#dependencies = { database, directory, blobs, rights, nodes: this.nodes, composeNotice };
  }

  /** The files that a user has access to, newest first; or the user's own files in the trash. */
  listFiles(
    tx: ReadTransaction,
    user: DriveOwner,
    filter: Omit<NodeFilter, 'kinds'> & WithParts,
    page: PageRequest,
  ): Promise<Page> {
    return this.nodes.list(tx, user, { ...filter, kinds: ['file'] }, page);
  }

  /** Throws ApiError not_found. */
  getFile(tx: ReadTransaction, user: DriveOwner, id: string, parts?: WithParts): Promise<JsonText> {
    return this.nodes.get(tx, user, fileOf(id), parts);
  }

  /** Creates a file from stored bytes; in a folder, for its owner. Throws ApiError not_found, forbidden or folder_trashed. */
  createFile(tx: WriteTransaction, user: DriveOwner, file: NewFile): Promise<JsonText> {
    return createFile(tx, this.rights, user, file);
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

  /** Files, documents and spreadsheets of a workspace as the full-text index holds them, without their contents. */
  indexedNodes(tx: ReadTransaction, workspaceId: string, ids: readonly string[]): Promise<IndexedNode[]> {
    return indexedNodes(tx, workspaceId, ids);
  }

  /** The keys of nodes of all workspaces after one, with their kinds, for a build of the full-text index. */
  nodeKeysAfter(
    tx: ReadTransaction,
    after: StoredKey,
    limit: number,
  ): Promise<(StoredKey & { kind: NodeKind })[]> {
    return listNodeKeysAfter(tx, after, limit);
  }

  /** Those of the nodes that the user sees, with what a search asks of them. */
  foundNodes(tx: ReadTransaction, user: DriveOwner, ids: readonly string[]): Promise<FoundNode[]> {
    return foundNodes(tx, this.#dependencies.rights, user, ids);
  }

  /** The folders of others under whose ids the full-text index holds what a user finds in them. */
  searchedFolders(tx: ReadTransaction, user: DriveOwner): Promise<SearchedFolder[]> {
    return searchedFolders(tx, this.rights, user);
  }

  /** Folders of a workspace as the full-text index gathers what lies in them. Those that are gone are left out. */
  foldersOfSearch(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<FolderOfSearch[]> {
    return foldersOfSearch(tx, workspaceId, ids);
  }

  /** The bytes of a file by the key of its blob. Rejects with BlobsUnavailable and BlobMissing. */
  openBytes(blobKey: string): Promise<Readable> {
    return this.#dependencies.blobs.get(blobKey);
  }

  /** Resolves when the store of bytes responds. Rejects with BlobsUnavailable. */
  checkBytes(): Promise<void> {
    return this.#dependencies.blobs.check();
  }

  /** The folders that a user reaches, or the user's own that were trashed themselves. */
  listFolders(tx: ReadTransaction, user: DriveOwner, filter: FolderFilter): Promise<readonly JsonText[]> {
    return listFileFolders(tx, this.rights, user, filter);
  }

  /** Throws ApiError not_found for the parent, forbidden or folder_trashed. */
  createFolder(tx: WriteTransaction, user: DriveOwner, given: NewFileFolder): Promise<JsonText> {
    return createFileFolder(tx, this.rights, user, given);
  }

  /** Throws ApiError not_found for the folder or the parent, forbidden, folder_cycle or folder_trashed. */
  updateFolder(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    changes: FileFolderChanges,
  ): Promise<JsonText> {
    return updateFileFolder(tx, this.rights, user, id, changes);
  }

  /** Moves a folder to the trash and hides what is in it. Throws ApiError not_found or forbidden. */
  trashFolder(tx: WriteTransaction, user: DriveOwner, id: string): Promise<void> {
    return trashFileFolder(tx, this.rights, user, id);
  }

  /** Restores a folder and exactly the nodes that were hidden with it. Throws ApiError not_found or forbidden. */
  restoreFolder(tx: WriteTransaction, user: DriveOwner, id: string): Promise<JsonText> {
    return restoreFileFolder(tx, this.rights, user, id);
  }

  /** Who a file or document, or a file folder, is shared with. */
  sharing(of: SharedKind): Sharing {
    return new Sharing(this.#dependencies, of === 'folder' ? shareableFolder : shareableContent);
  }
}

/** What is shared by a route: a folder, or what lies in folders. */
export type SharedKind = 'folder' | 'content';

/** The grants on objects of one kind. */
export class Sharing {
  readonly #dependencies: SharingDependencies;
  readonly #wanted: (id: string) => Wanted;

  constructor(dependencies: SharingDependencies, wanted: (id: string) => Wanted) {
    this.#dependencies = dependencies;
    this.#wanted = wanted;
  }

  /** Composes the message that a grant asks for, before its transaction. Rejects as `share` does. */
  prepare(user: Principal, id: string, given: NewPermissionGrant): Promise<Notice | undefined> {
    return prepareNotice(this.#dependencies, user, this.#wanted(id), given);
  }

  /** Gives a user or a group a role. Throws ApiError not_found, forbidden or validation_failed. */
  share(
    tx: WriteTransaction,
    user: Principal,
    id: string,
    given: NewPermissionGrant,
    notice?: Notice,
  ): Promise<PermissionGrant> {
    return share(tx, this.#dependencies, user, this.#wanted(id), given, notice);
  }

  /** Throws ApiError not_found. */
  listPermissions(tx: ReadTransaction, user: DriveOwner, id: string): Promise<PermissionGrant[]> {
    return listPermissions(tx, this.#dependencies, user, this.#wanted(id));
  }

  /** Revokes a grant, or gives up the user's own. Throws ApiError not_found or forbidden. */
  revoke(tx: WriteTransaction, user: DriveOwner, id: string, grantId: string): Promise<void> {
    return revoke(tx, this.#dependencies, user, this.#wanted(id), grantId);
  }

  /** All users with access, and the source of their access. Throws ApiError not_found. */
  listAccess(tx: ReadTransaction, user: DriveOwner, id: string): Promise<Access[]> {
    return listAccess(tx, this.#dependencies, user, this.#wanted(id));
  }
}

/**
 * A file, document or spreadsheet that is shared. The refusal tells what is shared and where, in the same words for every
 * id, so that it shows nothing of what exists.
 */
function shareableContent(id: string): Wanted {
  return {
    id,
    kinds: ['file', 'document', 'spreadsheet'],
    resource: 'file',
    refusal:
      'There is no file, document or spreadsheet with this id. A file folder is shared at /v1/file-folders/:id/permissions; nothing else is shared.',
  };
}

/** A file folder that is shared. */
function shareableFolder(id: string): Wanted {
  const refusal =
    'There is no file folder with this id. A file, document or spreadsheet is shared at /v1/files/:id/permissions; nothing else is shared.';
  return { ...folderOf(id), refusal };
}
