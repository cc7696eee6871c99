import { setTimeout as pause } from 'node:timers/promises';
import { type Database, StorageUnavailable } from '../../storage/database.ts';
import type {
  FolderKey,
  FullTextIndex,
  IndexBatch,
  IndexedObject,
  IndexState,
  ObjectKey,
  SearchedKind,
} from '../../storage/full-text/full-text-index.ts';
import { readAhead } from '../../turns/read-ahead.ts';
import type { ChangesService } from '../changes/service.ts';
import { type ChangesToIndex, FollowedWorkspaces } from './followed-workspaces.ts';
import { BEGINNING, type Sources } from './sources.ts';

/** How often it looks for changes of other nodes and processes. */
const EVERY_MS = 250;
/** How often it looks at the index itself, where nothing has changed: its file may have gone. */
const LOOK_AGAIN_MS = 5_000;
/** After an error it waits so long. */
const RETRY_MS = 1_000;
const CHANGES_AT_ONCE = 1_000;
/** Objects of one write: each write is a transaction of the index. */
const OBJECTS_AT_ONCE = 100;

/** Folders that are looked at together. */
const FOLDERS_AT_ONCE = 100;

/** What the indexing depends on. */
export interface IndexerDependencies {
  readonly database: Database;
  readonly index: FullTextIndex;
  readonly changes: ChangesService;
  readonly sources: Sources;
  /** The era of the change feed. */
  readonly era: () => Promise<string>;
  /** Milliseconds for which changes can be read. */
  readonly changesTtlMs: number;
}

/** From one state of the index to the next, with how far it has come in workspaces of a cluster. */
type IndexMove = Pick<IndexBatch, 'to' | 'marks'> & { readonly from: IndexState };

/** How far a build is. */
export interface BuildProgress {
  readonly isBuilding: boolean;
  /** Objects indexed since its beginning. */
  readonly built: number;
}

/**
 * Keeps the full-text index in step with the change feed: what is written is indexed afterwards, so that no write waits
 * for it. It keeps its position in the index itself, so after a crash it goes on where it was. Any number of nodes may
 * run it: of two that index the same changes, one sees that the index has moved on.
 */
export class Indexer {
  readonly #dependencies: IndexerDependencies;
  readonly #workspaces: FollowedWorkspaces;
  #failed: ((error: unknown) => void) | undefined;
  #run: Promise<void> | undefined;
  #stop = new AbortController();
  #seen: number | undefined;
  #lookedAt = 0;

  constructor(dependencies: IndexerDependencies) {
    this.#dependencies = dependencies;
    this.#workspaces = new FollowedWorkspaces(dependencies);
  }

  /** Makes the era of the feed, which the first to ask makes: afterwards nothing is written but by requests. */
  async prepare(): Promise<void> {
    await this.#dependencies.era();
  }

  /** Begins to follow the changes. `failed` receives errors; it goes on afterwards. */
  start(failed: (error: unknown) => void): void {
    this.#failed = failed;
    this.#stop = new AbortController();
    this.#run = this.#follow();
  }

  /** Resolves when the present write has ended. */
  async stop(): Promise<void> {
    this.#failed = undefined;
    this.#stop.abort();
    await this.#run;
  }

  /**
   * Begins to make the index anew while it is used. Goes on with a build that broke off: returns how many objects it has
   * indexed.
   */
  async beginBuild(): Promise<number> {
    const state = await this.#dependencies.index.state();
    if (state?.building !== undefined) return state.built;
    return (await this.#beginAnew(state)).built;
  }

  /** Indexes all that is due. `progress` is called after each portion. */
  async catchUp(progress: (step: BuildProgress) => void = () => undefined): Promise<void> {
    for (;;) {
      const { isDone, ...step } = await this.step();
      progress(step);
      if (isDone) return;
    }
  }

  /**
   * Indexes what is due: changes, then a portion of a build, then of what lies in folders that were shared or moved. Returns
   * whether there may be more.
   */
  async step(): Promise<BuildProgress & { readonly isDone: boolean }> {
    const { index, database } = this.#dependencies;
    const version = database.versionOf(['changes']);
    const state = await this.#currentState();
    const hasMore = await this.#indexChanges(state);
    const now = (await index.state()) ?? state;
    const isBuilding = now.building !== undefined;
    if (hasMore) return { isDone: false, isBuilding, built: now.built };
    if (isBuilding) return { isDone: false, isBuilding, built: await this.#build(now) };
    if (await this.#gather()) return { isDone: false, isBuilding, built: now.built };
    this.#seen = version;
    this.#lookedAt = performance.now();
    return { isDone: true, isBuilding, built: now.built };
  }

  async #follow(): Promise<void> {
    while (this.#failed) {
      try {
        const isDone = !this.#isNew() || (await this.step()).isDone;
        if (isDone) await this.#wait(EVERY_MS);
      } catch (error) {
        this.#seen = undefined;
        this.#failed?.(error);
        await this.#wait(RETRY_MS);
      }
    }
  }

  /** Whether there may be changes since the last step that left nothing to do, or that step is long ago. */
  #isNew(): boolean {
    const version = this.#dependencies.database.versionOf(['changes']);
    const isOld = performance.now() - this.#lookedAt > LOOK_AGAIN_MS;
    return version === undefined || version !== this.#seen || isOld;
  }

  async #wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }

  /** The state of the index; begins a build where it has none, or what it has read is too long ago. */
  async #currentState(): Promise<IndexState> {
    const { index, era, changesTtlMs } = this.#dependencies;
    const state = await index.state();
    const isCurrent = state?.era === (await era()) && state.readUntil > Date.now() - changesTtlMs;
    return isCurrent ? state : this.#beginAnew(state);
  }

  /** Begins a build. While somebody else moves the index on, it tries again; a build that somebody else has begun will do. */
  async #beginAnew(found: IndexState | undefined): Promise<IndexState> {
    const { changes, index, era, database } = this.#dependencies;
    const present = await era();
    for (let before = found; ; ) {
      const readUntil = Date.now();
      const state: IndexState = {
        era: present,
        position: await database.read((tx) => changes.end(tx)),
        readUntil,
        building: JSON.stringify(BEGINNING),
        built: 0,
        build: (before?.build ?? 0) + 1,
      };
      if (await index.write({ from: before, to: state, objects: [], removed: [], isAnew: true }))
        return state;
      before = await index.state();
      if (before?.building !== undefined && before.era === present) return before;
    }
  }

  /** Indexes the next changes. Returns whether there are more. */
  async #indexChanges(state: IndexState): Promise<boolean> {
    const readUntil = Date.now();
    const read = await this.#readChanges(state);
    const keys = keysOf(read.changes);
    const due = foldersOf(read.changes);
    const to = { ...state, position: read.position, readUntil: read.more ? state.readUntil : readUntil };
    const isMoved =
      read.position.number !== state.position.number ||
      read.position.transaction !== state.position.transaction;
    // Before the objects: folders that are due once too often cost nothing.
    if (due.length > 0) await this.#dependencies.index.write({ ...none(state), due });
    const move = { from: state, to, ...(read.marks && { marks: read.marks }) };
    if (keys.length > 0) await this.#indexKeys(move, keys);
    else if (isMoved || readUntil - state.readUntil > KEEP_UP_MS)
      await this.#dependencies.index.write({ ...move, objects: [], removed: [] });
    return read.more;
  }

  async #readChanges(state: IndexState): Promise<ChangesToIndex> {
    const { changes, database } = this.#dependencies;
    const read = await database.read((tx) => changes.readAll(tx, state.position, CHANGES_AT_ONCE));
    return read ?? this.#workspaces.read(state, CHANGES_AT_ONCE);
  }

  /** Gathers a portion of what lies in folders that are due. Returns whether there were any. */
  async #gather(): Promise<boolean> {
    const { index, sources } = this.#dependencies;
    const due = await index.dueFolders(FOLDERS_AT_ONCE);
    if (due.length > 0) await index.gather(await sources.folders(due), OBJECTS_AT_ONCE);
    return due.length > 0;
  }

  /**
   * Writes objects as they are now, and removes those that are gone; the position moves on with the last of them. The next
   * ones are read while the last ones are written. Returns false if the index has moved on.
   */
  async #indexKeys(move: IndexMove, keys: readonly ObjectKey[]): Promise<boolean> {
    const stay = { from: move.from, to: move.from };
    for await (const { objects, removed, isLast } of readAhead(this.#portions(keys)))
      if (!(await this.#write({ ...(isLast ? move : stay), objects, removed }))) return false;
    return true;
  }

  /** What is to be written for these keys, one portion for none. */
  async *#portions(keys: readonly ObjectKey[]): AsyncGenerator<Portion & Pick<IndexBatch, 'removed'>> {
    let i = 0;
    do {
      const some = keys.slice(i, i + OBJECTS_AT_ONCE);
      i += OBJECTS_AT_ONCE;
      const found = new Set<string>();
      for await (const { objects, isLast } of portionsOf(this.#dependencies.sources.each(some))) {
        for (const { kind, id } of objects) found.add(`${kind} ${id}`);
        const removed = isLast ? some.filter(({ kind, id }) => !found.has(`${kind} ${id}`)) : [];
        yield { objects, removed, isLast: isLast && i >= keys.length };
      }
    } while (i < keys.length);
  }

  /**
   * Where a batch fails, its objects are tried one by one, and one that fails alone is found by its title only. While the
   * storage is away nothing says so of an object: rejects with StorageUnavailable, and the batch is due again.
   */
  async #write(batch: IndexBatch): Promise<boolean> {
    const { index } = this.#dependencies;
    try {
      return await index.write(batch);
    } catch (error) {
      if (batch.objects.length === 0 || error instanceof StorageUnavailable) throw error;
      this.#failed?.(error);
    }
    for (const object of batch.objects) {
      const alone = { from: undefined, to: batch.from ?? batch.to, removed: [] };
      await index.write({ ...alone, objects: [object] }).catch((error) => {
        if (error instanceof StorageUnavailable) throw error;
        return index.write({ ...alone, objects: [withoutContent(object)] });
      });
    }
    return index.write({ ...batch, objects: [] });
  }

  async #build(state: IndexState): Promise<number> {
    const { index, sources } = this.#dependencies;
    const position = JSON.parse(state.building ?? '');
    const { keys, folders, next } = await sources.keysAfter(position, OBJECTS_AT_ONCE);
    if (folders.length > 0) await index.write({ ...none(state), due: folders });
    const to = {
      ...state,
      building: next && JSON.stringify(next),
      built: state.built + keys.length,
    };
    await this.#indexKeys({ from: state, to }, keys);
    if (next === undefined) while ((await index.removeOlder(state.build, OBJECTS_AT_ONCE)) > 0);
    return to.built;
  }
}

/** A batch that changes no object and does not move on. */
function none(state: IndexState): IndexBatch {
  return { from: state, to: state, objects: [], removed: [] };
}

/** Characters of objects that are in memory together; one that is larger is written alone. */
const CHARACTERS_AT_ONCE = 8_000_000;

/** Objects that are in memory together. */
interface Portion {
  readonly objects: readonly IndexedObject[];
  readonly isLast: boolean;
}

/** Objects in portions that fit memory; the last may be empty. */
async function* portionsOf(objects: AsyncIterable<IndexedObject>): AsyncGenerator<Portion> {
  let portion: IndexedObject[] = [];
  let characters = 0;
  for await (const object of objects) {
    const size = object.texts.reduce((sum, { text }) => sum + text.length, 0);
    if (portion.length > 0 && characters + size > CHARACTERS_AT_ONCE) {
      yield { objects: portion, isLast: false };
      portion = [];
      characters = 0;
    }
    portion.push(object);
    characters += size;
  }
  yield { objects: portion, isLast: true };
}

function withoutContent(object: IndexedObject): IndexedObject {
  const texts = object.texts.filter(({ field }) => field !== 'body' && field !== 'cells');
  return { ...object, texts, excerpt: undefined };
}

/** How often the index notes that it is up to date, where nothing changes. */
const KEEP_UP_MS = 3_600_000;

/** The kinds of objects by the names of their ids in a change. */
const KIND_OF_ID: Readonly<Record<string, SearchedKind>> = {
  message_id: 'message',
  message_ids: 'message',
  contact_id: 'contact',
  contact_ids: 'contact',
  file_id: 'file',
  file_ids: 'file',
  document_id: 'document',
  document_ids: 'document',
  spreadsheet_id: 'spreadsheet',
  spreadsheet_ids: 'spreadsheet',
};

/**
 * Changes that change nothing of what is indexed: flags, labels and folders are read when a search finds an object. The
 * content of a message changes with its draft only.
 */
const UNINDEXED = ['message.changed', 'message.moved'];

/** The file folders that changes name: what lies in them may be found by others than before. */
function foldersOf(changes: readonly { workspaceId: string; type: string; ids: string }[]): FolderKey[] {
  const folders = new Map<string, FolderKey>();
  for (const { workspaceId, type, ids } of changes) {
    if (!type.startsWith('file_folder.')) continue;
    const { folder_id: one, folder_ids: several = [] } = JSON.parse(ids);
    for (const folderId of one === undefined ? several : [one])
      folders.set(folderId, { workspaceId, folderId });
  }
  return [...folders.values()];
}

function keysOf(changes: readonly { workspaceId: string; type: string; ids: string }[]): ObjectKey[] {
  const keys = new Map<string, ObjectKey>();
  for (const { workspaceId, type, ids } of changes) {
    const named: Record<string, unknown> = JSON.parse(ids);
    if (UNINDEXED.includes(type) && named.draft_id === undefined) continue;
    for (const [name, value] of Object.entries(named)) {
      const kind = KIND_OF_ID[name];
      if (kind === undefined) continue;
      for (const id of Array.isArray(value) ? value : [value])
        keys.set(`${kind} ${id}`, { workspaceId, kind, id });
    }
  }
  return [...keys.values()];
}
