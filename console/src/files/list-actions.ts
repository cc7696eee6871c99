import type { ListedFolder } from '../../../client/src/index.ts';
import { type Action, useActions } from '../app/actions.ts';
import { useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { type ListPlace, useGo } from './address.ts';
import type { Dialogs } from './dialogs.tsx';
import { downloadAll } from './downloads.ts';
import type { Item } from './items.ts';
import { useFolders } from './lists.ts';
import { type Ability, can, reasonAgainst } from './roles.ts';
import { filesTexts } from './texts.ts';
import { chooseFiles } from './uploads/choose-files.ts';
import { focusList, type Selection } from './view-state.ts';
import { useWrites } from './writes.ts';

interface Given {
  place: ListPlace;
  selection: Selection;
  dialogs: Dialogs;
  open(item: Item): void;
  /** Begins to rename a row in place. */
  rename(id: string): void;
}

export interface ListActions {
  download(): void;
  move(): void;
  trash(): void;
  restore(): void;
  share(): void;
  rename(): void;
}

/** What can be done in a list, by its keys; the buttons of the header do the same. */
export function useListActions({ place, selection, dialogs, open, rename }: Given): ListActions {
  const texts = useTexts(filesTexts);
  const writes = useWrites();
  const go = useGo();
  const { data: folders = [] } = useFolders();
  const { targets } = selection;
  const isTrash = place.kind === 'trash';
  const folderId = place.kind === 'folder' ? place.folderId : '';
  const withTargets = (run: (items: readonly Item[]) => void) => () => {
    if (targets.length > 0) run(targets);
    else showToast({ text: texts.chooseFirst });
  };
  const folder = folders.find(({ id }) => id === folderId);
  const { where, adding } = guards(folder, texts);
  const leaving = (run: (items: readonly Item[]) => void) =>
    withTargets(
      where('change', (items) => {
        selection.leave(items);
        run(items);
        focusList();
      }),
    );
  const first = (run: (item: Item) => void) => withTargets(([item]) => item && run(item));
  const beginToRename = (item: Item) => {
    selection.setCurrent(item.id);
    rename(item.id);
  };
  const own: ListActions = {
    download: withTargets((items) => void downloadAll(items, texts)),
    move: withTargets(where('move', (items) => dialogs.open({ kind: 'move', items }))),
    trash: leaving((items) => writes.trash(items)),
    restore: leaving((items) => writes.restore(items)),
    share: first((item) => dialogs.open({ kind: 'share', item })),
    rename: first((item) => where('change', () => beginToRename(item))([item])),
  };
  const up = () => {
    const parent = folder?.parent_id ?? '';
    if (place.kind !== 'folder') return go({ kind: 'folder', folderId: '' });
    if (folderId !== '') go({ kind: 'folder', folderId: parent });
  };
  const step = (by: number) => {
    focusList();
    selection.step(by);
  };
  useActions([
    { id: 'files-next', label: texts.next, keys: 'j', run: () => step(1) },
    { id: 'files-previous', label: texts.previous, keys: 'k', run: () => step(-1) },
    { id: 'files-open', label: texts.open, keys: 'o', run: first(open) },
    {
      id: 'files-tick',
      label: texts.tick,
      keys: 'x',
      run: () => selection.current && selection.toggle(selection.current),
    },
    { id: 'files-up', label: texts.up, keys: 'Backspace', run: up },
    { id: 'files-download', label: texts.download, keys: 'd', run: own.download },
    ...(isTrash ? trashActions(own, texts) : activeActions(own, { dialogs, folderId, adding }, texts)),
  ]);
  return own;
}

type Texts = typeof filesTexts.en;

/** Run what the role of the person allows, on items or in the folder that is open; else they say why it is not done. */
function guards(folder: ListedFolder | undefined, texts: Texts) {
  const tell = (text: string) => void showToast({ text });
  return {
    where: (ability: Ability, run: (items: readonly Item[]) => void) => (items: readonly Item[]) => {
      const reason = reasonAgainst(ability, items, texts);
      return reason === undefined ? run(items) : tell(reason);
    },
    adding: (run: () => void) => () => (!folder || can('change', folder) ? run() : tell(texts.mayNotAdd)),
  };
}

function trashActions(own: ListActions, texts: Texts): Action[] {
  return [{ id: 'files-restore', label: texts.restore, keys: 'r', run: own.restore }];
}

interface Adding {
  dialogs: Dialogs;
  folderId: string;
  /** Runs what adds to the folder, or says why the person cannot. */
  adding(run: () => void): () => void;
}

function activeActions(own: ListActions, { dialogs, folderId, adding }: Adding, texts: Texts): Action[] {
  return [
    {
      id: 'files-new-folder',
      label: texts.newFolder,
      keys: 'n',
      run: adding(() => dialogs.open({ kind: 'folder' })),
    },
    {
      id: 'files-new-document',
      label: texts.newDocument,
      run: adding(() => dialogs.open({ kind: 'document' })),
    },
    {
      id: 'files-new-sheet',
      label: texts.newSheet,
      run: adding(() => dialogs.open({ kind: 'spreadsheet' })),
    },
    { id: 'files-upload', label: texts.uploadFiles, keys: 'u', run: adding(() => chooseFiles(folderId)) },
    {
      id: 'files-upload-folder',
      label: texts.uploadFolder,
      keys: 'Shift+u',
      run: adding(() => chooseFiles(folderId, { isFolder: true })),
    },
    { id: 'files-rename', label: texts.renameAction, keys: 'F2', run: own.rename },
    { id: 'files-move', label: texts.moveAction, keys: 'm', run: own.move },
    { id: 'files-share', label: texts.share, keys: 's', run: own.share },
    { id: 'files-trash', label: texts.trashAction, keys: '#', run: own.trash },
  ];
}
