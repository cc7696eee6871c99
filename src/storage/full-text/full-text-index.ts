import type { Engine } from '../database.ts';

/** The kinds of objects that are searched. */
export type SearchedKind = 'message' | 'contact' | 'file' | 'document' | 'spreadsheet';

/** A field of the texts of an object. `other` has what no operator names. */
export type IndexedField = 'from' | 'to' | 'cc' | 'subject' | 'filename' | 'body' | 'cells' | 'other';

/** Identifies an object. */
export interface ObjectKey {
  readonly workspaceId: string;
  readonly kind: SearchedKind;
  readonly id: string;
}

/** An object as it is to be found. */
export interface IndexedObject extends ObjectKey {
  /** Its time in listings, in milliseconds since the epoch. */
  readonly at: number;
  /** The users and groups that find it. */
  readonly principals: readonly string[];
  /** Where it lies; undefined where it lies in no folder, or in one that nobody searches. */
  readonly folder?: IndexedFolder | undefined;
  readonly texts: readonly IndexedText[];
  readonly hasAttachment: boolean;
  /** Text for snippets, kept beside the index; undefined where the object itself has it at hand. */
  readonly excerpt?: string | undefined;
}

/** The folder of an object: whoever reaches it, or a shared folder above it, finds the object. */
export interface IndexedFolder {
  readonly id: string;
  /** The shared folders above it, in the order of their ids. */
  readonly roots: readonly string[];
}

/** Identifies a folder. */
export interface FolderKey {
  readonly workspaceId: string;
  readonly folderId: string;
}

/** A folder with what the objects in it are to be found under. */
export interface FolderToGather extends FolderKey {
  /** As of `IndexedFolder`. */
  readonly roots: readonly string[];
  /** The folders directly in it. */
  readonly below: readonly string[];
  /** Whether it is stored no more. */
  readonly isGone: boolean;
}

/** A folder some of whose objects are found under a shared folder above it. */
export interface GatheredFolder {
  readonly root: string;
  readonly folder: string;
  /** Whether all of its objects are. */
  readonly isWhole: boolean;
}

/** A folder that is shared with a user, and all folders below it: their ids, that of the shared one first. */
export type FolderTree = readonly string[];

/** A text of a field. A phrase lies within one text. */
export interface IndexedText {
  readonly field: IndexedField;
  readonly text: string;
}

/** How far the index follows the change feed. */
export interface IndexPosition {
  readonly transaction: number;
  readonly number: number;
}

/** What the index has. */
export interface IndexState {
  /** The feed that it follows: after a restore it is another one. */
  readonly era: string;
  readonly position: IndexPosition;
  /** Milliseconds since the epoch: everything that was written before it has been read. */
  readonly readUntil: number;
  /** The key of the last object that a build has indexed; undefined where no build is under way. */
  readonly building: string | undefined;
  /** Objects that the build has indexed. */
  readonly built: number;
  /** The number of the last build: objects of an earlier one are gone. */
  readonly build: number;
}

/** Changes of the index that are made together. */
export interface IndexBatch {
  /** The state that they follow from: if the index has another one, nothing is written. Undefined: whatever it has. */
  readonly from: IndexState | undefined;
  readonly to: IndexState;
  readonly objects: readonly IndexedObject[];
  readonly removed: readonly ObjectKey[];
  /** Folders that were shared, moved, trashed or restored: what lies in them is to be gathered anew. */
  readonly due?: readonly FolderKey[];
  /** Whether a build begins: what is gathered is looked at again. */
  readonly isAnew?: boolean;
  /** On a cluster: how far the index has come in workspaces. */
  readonly marks?: ReadonlyMap<string, IndexPosition>;
}

/** A condition of one term of the index: a word, a beginning, two words that stand together, or a property. */
export interface TermPattern {
  readonly term: string;
  readonly isPrefix: boolean;
}

/** True if all patterns of one alternative hold; `isNegated`: if those of none do. */
export interface TermCondition {
  readonly isNegated: boolean;
  readonly alternatives: readonly (readonly TermPattern[])[];
}

/** A question: in each clause at least one condition holds, of the objects that the principals find or that lie in the trees. */
export interface IndexQuery {
  readonly workspaceId: string;
  readonly principals: readonly string[];
  readonly trees: readonly FolderTree[];
  readonly kinds: readonly SearchedKind[];
  readonly clauses: readonly (readonly TermCondition[])[];
  /** Times from this one on. */
  readonly from: number;
  /** Times before this one. */
  readonly until: number;
  /** Only what comes behind this place in the order of the answer. */
  readonly behind: string | undefined;
  readonly limit: number;
}

/** An object that was found. */
export interface Hit {
  readonly kind: SearchedKind;
  readonly id: string;
  /** Its place in the order of every answer, which is the same in both engines. */
  readonly place: string;
}

/** An indexed object and a digest of what was indexed of it. */
export interface IndexedDigest extends ObjectKey {
  readonly digest: string;
}

/** The full-text index: derived from the rows, and made anew from them at any time. */
export interface FullTextIndex {
  readonly engine: Engine;
  /** Undefined for an index that is new, or of another version: it is to be built. */
  state(): Promise<IndexState | undefined>;
  /** How far the index has come in workspaces of a cluster; in those that it has not met yet, to the beginning of its build. */
  marks(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, IndexPosition>>;
  /** Writes all of a batch or nothing. Returns false if the index has moved on since `from`. */
  write(batch: IndexBatch): Promise<boolean>;
  /** Removes up to `limit` objects that no build since this one has indexed. Returns how many it removed. */
  removeOlder(build: number, limit: number): Promise<number>;
  /** Some of the folders that are due. */
  dueFolders(limit: number): Promise<FolderKey[]>;
  /**
   * Changes under which shared folders the objects of folders are found, of up to `limit` objects. A folder that is done is
   * due no more; those in it are, if anything has changed.
   */
  gather(folders: readonly FolderToGather[], limit: number): Promise<void>;
  /** The folders whose objects are found under these shared folders. */
  foldersUnder(workspaceId: string, roots: readonly string[]): Promise<GatheredFolder[]>;
  /** The newest objects first. */
  search(query: IndexQuery): Promise<Hit[]>;
  /** The excerpts of objects of a workspace, by id. */
  excerpts(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>>;
  /** Digests of what is indexed of these objects, by kind and id. */
  digests(keys: readonly ObjectKey[]): Promise<IndexedDigest[]>;
  count(): Promise<number>;
  /** The indexed objects after a key, in the order of keys. */
  list(after: ObjectKey | undefined, limit: number): Promise<IndexedDigest[]>;
  /** Sentences about damage of the index itself. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
