import type { Readable } from 'node:stream';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Content, JsonText } from '../../contract/answers.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { StoredKey } from '../../storage/query/stored-keys.ts';
import type { DirectoryService } from '../directory/service.ts';
import { createFile, type NewFile } from './create-node.ts';
import { type FolderFilter, listFileFolders } from './file-folders.ts';
import type { NodeFilter } from './listing/listing.ts';
import { emitNode, type SeenNode } from './node-changes.ts';
import type { NodeKind } from './node-store.ts';
import {
  contentOf,
  type FileDependencies,
  findStoredFile,
  Nodes,
  type StoredFile,
  type WithParts,
} from './nodes.ts';
import type { DriveOwner } from './owner.ts';
import { type Reached, Rights, type Wanted } from './rights.ts';
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
import type { ComposeNotice, SharingDependencies } from './sharing/dependencies.ts';

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

/** What others ask of the drive, and what the use cases of the area work with. */
export class FilesService {
  /** The operations that files share with documents. The documents service calls them. */
  readonly nodes: Nodes;
  /** Access control, for uploads. */
  readonly rights: Rights;
  readonly dependencies: FileDependencies & SharingDependencies;

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
    this.dependencies = { database, directory, blobs, rights, nodes: this.nodes, composeNotice };
  }

  createFile(tx: WriteTransaction, user: DriveOwner, file: NewFile): Promise<JsonText> {
    return createFile(tx, this.rights, user, file);
  }

  /** The bytes of a file as a download. Throws ApiError not_found or forbidden. */
  async getContent(tx: ReadTransaction, user: DriveOwner, id: string): Promise<Content> {
    return contentOf(await this.findStoredFile(tx, user, id));
  }

  findStoredFile(tx: ReadTransaction, user: DriveOwner, id: string): Promise<StoredFile> {
    return findStoredFile(tx, this.dependencies, user, id);
  }

  indexedNodes(tx: ReadTransaction, workspaceId: string, ids: readonly string[]): Promise<IndexedNode[]> {
    return indexedNodes(tx, workspaceId, ids);
  }

  nodeKeysAfter(
    tx: ReadTransaction,
    after: StoredKey,
    limit: number,
  ): Promise<(StoredKey & { kind: NodeKind })[]> {
    return listNodeKeysAfter(tx, after, limit);
  }

  foundNodes(tx: ReadTransaction, user: DriveOwner, ids: readonly string[]): Promise<FoundNode[]> {
    return foundNodes(tx, this.rights, user, ids);
  }

  searchedFolders(tx: ReadTransaction, user: DriveOwner): Promise<SearchedFolder[]> {
    return searchedFolders(tx, this.rights, user);
  }

  foldersOfSearch(
    tx: ReadTransaction,
    workspaceId: string,
    ids: readonly string[],
  ): Promise<FolderOfSearch[]> {
    return foldersOfSearch(tx, workspaceId, ids);
  }

  /** The bytes of a file by the key of its blob. Rejects with BlobsUnavailable and BlobMissing. */
  openBytes(blobKey: string): Promise<Readable> {
    return this.dependencies.blobs.get(blobKey);
  }

  /** Resolves when the store of bytes responds. Rejects with BlobsUnavailable. */
  checkBytes(): Promise<void> {
    return this.dependencies.blobs.check();
  }

  listFolders(tx: ReadTransaction, user: DriveOwner, filter: FolderFilter): Promise<readonly JsonText[]> {
    return listFileFolders(tx, this.rights, user, filter);
  }
}
