import type { DragEvent } from 'react';
import type { Item } from './items.ts';
import { droppedFiles } from './uploads/dropped.ts';
import { uploads } from './uploads/uploads.ts';
import type { Writes } from './writes.ts';

/** The type under which rows are dragged within the page. */
const ITEMS = 'application/x-atrium-items';

type Target = { folderId: string; name: string } | 'trash';

/** What a dragged row carries: the selected rows with it, where it is one of them. */
export function dragDataOf(item: Item, chosen: readonly Item[]): Record<string, string> {
  const items = chosen.some(({ id }) => id === item.id) ? chosen : [item];
  return { [ITEMS]: JSON.stringify(items) };
}

/** The attributes of what rows and files can be dropped on. */
export function dropOnFolder(folderId: string, name: string) {
  return { 'data-drop-folder': folderId, 'data-drop-name': name };
}

export const dropOnTrash = { 'data-drop-trash': '' };

/**
 * The handlers of the page: rows are moved to the folder under the pointer; files from outside are uploaded to it, or
 * else to the folder that is open.
 */
export function dropHandlers(openFolder: { folderId: string; name: string } | undefined, writes: Writes) {
  let marked: Element | undefined;
  const mark = (element: Element | undefined) => {
    if (marked === element) return;
    marked?.removeAttribute('data-over');
    element?.setAttribute('data-over', '');
    marked = element;
  };
  const targetFor = (event: DragEvent): Target | undefined => {
    const element = elementOf(event);
    const isFiles = event.dataTransfer.types.includes('Files');
    const page = event.currentTarget;
    if (!element || (isFiles && element.hasAttribute('data-drop-trash'))) {
      mark(isFiles && openFolder ? page : undefined);
      return isFiles ? openFolder : undefined;
    }
    mark(element);
    if (element.hasAttribute('data-drop-trash')) return 'trash';
    return {
      folderId: element.getAttribute('data-drop-folder') ?? '',
      name: element.getAttribute('data-drop-name') ?? '',
    };
  };
  return {
    onDragOver: (event: DragEvent) => {
      const { types } = event.dataTransfer;
      if (!types.includes('Files') && !types.includes(ITEMS)) return;
      if (targetFor(event) === undefined) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = types.includes(ITEMS) ? 'move' : 'copy';
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) mark(undefined);
    },
    onDragEnd: () => mark(undefined),
    onDrop: (event: DragEvent) => {
      const target = targetFor(event);
      mark(undefined);
      if (target === undefined) return;
      event.preventDefault();
      const rows = event.dataTransfer.getData(ITEMS);
      if (rows !== '') moveTo(target, JSON.parse(rows) as Item[], writes);
      else if (target !== 'trash')
        void droppedFiles(event.dataTransfer).then((files) => uploads.add(files, target.folderId));
    },
  };
}

function moveTo(target: Target, items: readonly Item[], writes: Writes): void {
  if (target === 'trash') writes.trash(items);
  else writes.move(items, target.folderId, target.name);
}

function elementOf(event: DragEvent): Element | undefined {
  if (!(event.target instanceof Element)) return undefined;
  return event.target.closest('[data-drop-folder],[data-drop-trash]') ?? undefined;
}
