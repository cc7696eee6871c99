import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FileFolder, ListedFolder } from '../../../client/src/index.ts';
import type { RecordingApi } from '../app/calls.ts';
import { outbox, TakenBack } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { shownName } from '../parts/shown-name.ts';
import { readAgain, showChanged, showFound, showGone } from './cache.ts';
import type { Item } from './items.ts';
import { keys } from './lists.ts';
import { type Ability, reasonAgainst } from './roles.ts';
import { filesTexts } from './texts.ts';

type Texts = typeof filesTexts.en;

/** Several lanes send at once; all writes of one item are in one, in order. */
const LANES = 4;

/** What can be done with items: shown at once, sent by the outbox, and taken back by "undo". */
export function useWrites() {
  const queries = useQueryClient();
  const texts = useTexts(filesTexts);
  return useMemo(() => new Writes(queries, texts), [queries, texts]);
}

export class Writes {
  readonly #queries: QueryClient;
  readonly #texts: Texts;

  constructor(queries: QueryClient, texts: Texts) {
    this.#queries = queries;
    this.#texts = texts;
  }

  rename(item: Item, name: string): void {
    this.#rename(item, name);
    showToast({
      text: this.#texts.renamed(shownName(name)),
      undo: () => this.#rename({ ...item, name }, item.name),
    });
  }

  /** Moves into a folder; "" is the root. */
  move(items: readonly Item[], folderId: string, folderName: string): void {
    if (this.#tellsAgainst('move', items)) return;
    const moved = items.filter(({ id, parentId }) => parentId !== folderId && id !== folderId);
    if (moved.length === 0) return;
    for (const item of moved) this.#move(item, folderId);
    const back = () => {
      for (const item of moved) this.#move({ ...item, parentId: folderId }, item.parentId);
    };
    showToast({ text: this.#texts.moved(moved.length, shownName(folderName)), undo: back });
  }

  trash(items: readonly Item[]): void {
    if (this.#tellsAgainst('change', items)) return;
    for (const item of items) this.#trash(item);
    const back = () => {
      for (const item of items) this.#restore(item);
    };
    showToast({ text: this.#texts.trashed(items.length), undo: back });
  }

  restore(items: readonly Item[]): void {
    for (const item of items) this.#restore(item);
    const back = () => {
      for (const item of items) this.#trash(item);
    };
    showToast({ text: this.#texts.restored(items.length), undo: back });
  }

  /** Resolves to the new folder; undefined where another tab has made it, or the server has refused it. */
  async createFolder(name: string, parentId: string): Promise<FileFolder | undefined> {
    const body = { name, ...(parentId !== '' && { parent_id: parentId }) };
    const folder = await this.#made<FileFolder>(this.#texts.makeFolder(shownName(name)), (api) =>
      api.files.createFileFolder(body),
    );
    if (!folder) return undefined;
    this.#queries.setQueryData<ListedFolder[]>(
      keys.folders,
      (folders) => folders && [...folders.filter(({ id }) => id !== folder.id), folder],
    );
    return folder;
  }

  /** Resolves to the id of the new document. */
  async createDocument(type: 'document' | 'spreadsheet', title: string, folderId: string) {
    const body = { type, title, ...(folderId !== '' && { folder_id: folderId }) };
    const made = await this.#made<{ id: string }>(this.#texts.makeDocument(shownName(title)), (api) =>
      api.documents.createDocument(body),
    );
    return made?.id;
  }

  #rename(item: Item, name: string): void {
    const label = this.#texts.rename(shownName(item.name), shownName(name));
    showChanged(this.#queries, { ...item, name });
    this.#send(item.id, label, (api) => {
      if (item.kind === 'folder') return api.files.updateFileFolder(item.id, { name });
      if (item.kind === 'file') return api.files.updateFile(item.id, { title: name });
      return api.documents.updateDocument(item.id, { title: name });
    });
  }

  #move(item: Item, folderId: string): void {
    const label = this.#texts.move(shownName(item.name));
    showChanged(this.#queries, { ...item, parentId: folderId });
    this.#send(item.id, label, (api) => {
      if (item.kind === 'folder') return api.files.updateFileFolder(item.id, { parent_id: folderId });
      if (item.kind === 'file') return api.files.updateFile(item.id, { folder_id: folderId });
      return api.documents.updateDocument(item.id, { folder_id: folderId });
    });
  }

  #trash(item: Item): void {
    showGone(this.#queries, item);
    this.#send(item.id, this.#texts.toTrash(shownName(item.name)), (api) => {
      if (item.kind === 'folder') return api.files.trashFileFolder(item.id);
      if (item.kind === 'file') return api.files.trashFile(item.id);
      return api.documents.trashDocument(item.id);
    });
  }

  #restore(item: Item): void {
    showGone(this.#queries, item);
    if (item.kind !== 'folder') showFound(this.#queries, item.id, { ...item, isTrashed: false });
    this.#send(item.id, this.#texts.fromTrash(shownName(item.name)), (api) => {
      if (item.kind === 'folder') return api.files.restoreFileFolder(item.id);
      if (item.kind === 'file') return api.files.restoreFile(item.id);
      return api.documents.restoreDocument(item.id);
    });
  }

  /** Says why the person cannot do something to items, as where they were dropped; false where they can. */
  #tellsAgainst(ability: Ability, items: readonly Item[]): boolean {
    const text = reasonAgainst(ability, items, this.#texts);
    if (text !== undefined) showToast({ text });
    return text !== undefined;
  }

  #send(id: string, label: string, call: (api: RecordingApi) => Promise<unknown>): void {
    const lane = `files ${laneOf(id)}`;
    void outbox
      .add({ call, label, lane })
      .then(({ done }) => done)
      .catch((error: unknown) => this.#tell(label, error));
  }

  async #made<T>(label: string, call: (api: RecordingApi) => Promise<unknown>): Promise<T | undefined> {
    try {
      const { done } = await outbox.add({ call, label });
      return (await done) as T | undefined;
    } catch (error) {
      this.#tell(label, error);
      return undefined;
    }
  }

  /** A refusal: what was shown is read again, and the server's reason is told. */
  #tell(label: string, error: unknown): void {
    readAgain(this.#queries);
    if (error instanceof TakenBack) return;
    const reason = reasonOf(error);
    showToast({ text: this.#texts.refused(label, reason), kind: 'problem' });
  }
}

function laneOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % LANES;
}
