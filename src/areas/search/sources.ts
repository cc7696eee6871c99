import type { Readable } from 'node:stream';
import { BlobsUnavailable } from '../../blobs/blob-store.ts';
import { extractText } from '../../formats/text-extraction/extraction.ts';
import { type Database, type ReadTransaction, StorageUnavailable } from '../../storage/database.ts';
import type {
  FolderKey,
  FolderToGather,
  IndexedObject,
  IndexedText,
  ObjectKey,
  SearchedKind,
} from '../../storage/full-text/full-text-index.ts';
import { runsOf } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { ContactsService } from '../contacts/service.ts';
import type { DocumentsService } from '../documents/service.ts';
import type { FilesService, IndexedNode, StoredBytes } from '../drive/service.ts';
import type { MailService } from '../mail/service.ts';
import type { SpreadsheetsService } from '../spreadsheets/service.ts';

/** The services whose objects are searched. */
export interface SearchedServices {
  readonly mail: MailService;
  readonly contacts: ContactsService;
  readonly files: FilesService;
  readonly documents: DocumentsService;
  readonly spreadsheets: SpreadsheetsService;
}

/** Characters of a text that are kept for snippets. */
const LONGEST_EXCERPT = 1_000_000;

/** Objects that are read in one transaction. */
const READ_AT_ONCE = 25;

/** A node whose content is read after the transaction. */
interface OpenedNode {
  readonly node: IndexedNode;
  /** Its texts beside its title. */
  readonly read: () => Promise<IndexedText[]>;
}

/** Reads the objects that are searched, as they are now. */
export class Sources {
  readonly #database: Database;
  readonly #services: SearchedServices;

  constructor(database: Database, services: SearchedServices) {
    this.#database = database;
    this.#services = services;
  }

  /** The objects with these keys, few enough to be in memory. Those that are gone are left out. Rejects as `each`. */
  objects(keys: readonly ObjectKey[]): Promise<IndexedObject[]> {
    return Array.fromAsync(this.each(keys));
  }

  /**
   * The objects with these keys, one after another: a file alone may have many million characters. Those that are gone
   * are left out. Rejects with StorageUnavailable and BlobsUnavailable.
   */
  async *each(keys: readonly ObjectKey[]): AsyncGenerator<IndexedObject> {
    for (const [workspaceId, ofWorkspace] of Map.groupBy(keys, (key) => key.workspaceId)) {
      for (const some of runsOf(ofWorkspace, READ_AT_ONCE)) {
        const { rows, opened } = await this.#database.read(async (tx) => ({
          rows: await this.#rows(tx, workspaceId, some),
          opened: await this.#open(tx, workspaceId, some),
        }));
        yield* rows;
        for (const { node, read } of opened) yield nodeObject(workspaceId, node, await this.#readable(read));
      }
    }
  }

  async #rows(
    tx: ReadTransaction,
    workspaceId: string,
    keys: readonly ObjectKey[],
  ): Promise<IndexedObject[]> {
    const { mail, contacts } = this.#services;
    const messages = idsOf(keys, ['message']);
    const cards = idsOf(keys, ['contact']);
    return [
      ...(messages.length > 0 ? await mail.indexedMessages(tx, workspaceId, messages) : []),
      ...(cards.length > 0 ? await contacts.indexedContacts(tx, workspaceId, cards) : []),
    ];
  }

  async #open(tx: ReadTransaction, workspaceId: string, keys: readonly ObjectKey[]): Promise<OpenedNode[]> {
    const ids = idsOf(keys, ['file', 'document', 'spreadsheet']);
    if (ids.length === 0) return [];
    const opened: OpenedNode[] = [];
    for (const node of await this.#services.files.indexedNodes(tx, workspaceId, ids)) {
      opened.push({ node, read: await this.#contentOf(tx, workspaceId, node) });
      await giveWay();
    }
    return opened;
  }

  /** Of a content that cannot be read, for whatever reason, nothing is found: it must not stop the index. Rejects with BlobsUnavailable while the store serves nothing. */
  async #readable(read: OpenedNode['read']): Promise<IndexedText[]> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (error instanceof BlobsUnavailable) await this.#services.files.checkBytes();
      return [];
    }
  }

  async #contentOf(
    tx: ReadTransaction,
    workspaceId: string,
    { id, kind, file }: IndexedNode,
  ): Promise<OpenedNode['read']> {
    const { files, documents, spreadsheets } = this.#services;
    if (kind === 'document') {
      const open = await documents.openText(tx, workspaceId, id);
      return async () => [{ field: 'body', text: Buffer.from(await open()).toString() }];
    }
    if (kind === 'spreadsheet') {
      const texts = await spreadsheets.cellTexts(tx, { workspaceId, id });
      return async () => texts.map((text) => ({ field: 'cells', text }));
    }
    if (file?.blobKey === undefined) return async () => [];
    const { blobKey } = file;
    return async () => {
      const texts = await this.#textsOfFile(() => files.openBytes(blobKey), file);
      return texts.map((text) => ({ field: 'body', text }));
    };
  }

  /** A file whose bytes could not be read is tried once more, if the store serves others; then nothing is found of it. */
  async #textsOfFile(
    open: () => Promise<Readable>,
    { mimeType, size }: StoredBytes,
  ): Promise<readonly string[]> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const found = await extractText(open, mimeType, size);
      if (found && 'texts' in found) return found.texts;
      if (!found?.isTemporary) return [];
      await this.#services.files.checkBytes();
    }
    return [];
  }

  /** Folders with what the index gathers of them. Rejects with StorageUnavailable. */
  async folders(keys: readonly FolderKey[]): Promise<FolderToGather[]> {
    const found: FolderToGather[] = [];
    for (const [workspaceId, some] of Map.groupBy(keys, (key) => key.workspaceId)) {
      const ids = some.map(({ folderId }) => folderId);
      const stored = await this.#database.read((tx) =>
        this.#services.files.foldersOfSearch(tx, workspaceId, ids),
      );
      const byId = new Map(stored.map((folder) => [folder.id, folder]));
      for (const folderId of ids) {
        const { roots = [], below = [] } = byId.get(folderId) ?? {};
        found.push({ workspaceId, folderId, roots, below, isGone: !byId.has(folderId) });
      }
    }
    return found;
  }

  /**
   * Keys of objects after one, kind by kind, and of the folders among them, for a build of the index; undefined after the
   * last.
   */
  async keysAfter(
    { kind, workspaceId, id }: BuildPosition,
    limit: number,
  ): Promise<{ keys: ObjectKey[]; folders: FolderKey[]; next: BuildPosition | undefined }> {
    const { mail, contacts, files } = this.#services;
    const after = { workspaceId, id };
    const list = {
      message: mail.messageKeysAfter.bind(mail),
      contact: contacts.contactKeysAfter.bind(contacts),
      node: files.nodeKeysAfter.bind(files),
    }[kind];
    const found = await this.#database.read<KeyRow[]>((tx) => list(tx, after, limit));
    const keys = found.flatMap((row) => keyOf(kind, row));
    const folders = found.flatMap((row) =>
      row.kind === 'folder' ? [{ workspaceId: row.workspaceId, folderId: row.id }] : [],
    );
    const last = found.at(-1);
    if (found.length === limit && last)
      return { keys, folders, next: { kind, workspaceId: last.workspaceId, id: last.id } };
    const following = BUILD_ORDER[BUILD_ORDER.indexOf(kind) + 1];
    return { keys, folders, next: following && { kind: following, workspaceId: '', id: '' } };
  }
}

/** The last object that a build has read. */
export interface BuildPosition {
  readonly kind: 'message' | 'contact' | 'node';
  readonly workspaceId: string;
  readonly id: string;
}

/** Before the first object. */
export const BEGINNING: BuildPosition = { kind: 'message', workspaceId: '', id: '' };

/** Files come last: their contents take longest. */
const BUILD_ORDER = ['message', 'contact', 'node'] as const;

interface KeyRow {
  readonly workspaceId: string;
  readonly id: string;
  readonly kind?: string;
}

function keyOf(kind: BuildPosition['kind'], { workspaceId, id, kind: nodeKind }: KeyRow): ObjectKey[] {
  if (kind !== 'node') return [{ workspaceId, kind, id }];
  return nodeKind === 'folder' ? [] : [{ workspaceId, kind: nodeKind as SearchedKind, id }];
}

function idsOf(keys: readonly ObjectKey[], kinds: readonly SearchedKind[]): string[] {
  return keys.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
}

function nodeObject(workspaceId: string, node: IndexedNode, content: readonly IndexedText[]): IndexedObject {
  const { id, kind, at, principals, folder, title, file } = node;
  const names: IndexedText[] = [{ field: 'other', text: title }];
  if (file) names.push({ field: 'filename', text: title });
  if (file && file.filename !== title) names.push({ field: 'filename', text: file.filename });
  return {
    workspaceId,
    kind,
    id,
    at,
    principals,
    folder,
    texts: [...content, ...names],
    hasAttachment: false,
    excerpt: excerptOf(content.map(({ text }) => text)),
  };
}

/** Stands between the texts of an excerpt, and in none of them: a phrase lies within one. */
const BETWEEN_TEXTS = '\u001e';

function excerptOf(texts: readonly string[]): string | undefined {
  const excerpt = texts.map((text) => text.replaceAll(BETWEEN_TEXTS, ' ')).join(BETWEEN_TEXTS);
  return excerpt === '' ? undefined : excerpt.slice(0, LONGEST_EXCERPT).toWellFormed();
}

/** The texts of an excerpt. */
export function textsOfExcerpt(excerpt: string): string[] {
  return excerpt.split(BETWEEN_TEXTS);
}

/** Whether an excerpt is the beginning only of what the object holds. */
export function isCutExcerpt(excerpt: string): boolean {
  return excerpt.length >= LONGEST_EXCERPT;
}
