import { useState } from 'react';
import type { Place } from './address.ts';
import type { Item } from './items.ts';

/** What was last looked at in each place of this tab, so that coming back finds it again. */
const lastCurrent = new Map<string, string>();
let opened: { place: Place; order: readonly string[] } | undefined;

export function keyOfPlace(place: Place): string {
  if (place.kind === 'folder') return `folder ${place.folderId}`;
  return place.kind === 'file' ? `file ${place.id}` : place.kind;
}

/** The list that a file was opened from: where "back" leads, and what "next" is. */
export function rememberOpened(place: Place, items: readonly Item[]): void {
  opened = { place, order: items.filter(({ kind }) => kind !== 'folder').map(({ id }) => id) };
}

/** The neighbours of a file in the list that it was opened from, and that list. */
export function neighboursOf(id: string): { place?: Place; before?: string; after?: string } {
  const index = opened?.order.indexOf(id) ?? -1;
  if (!opened || index < 0) return {};
  const [before, after] = [opened.order[index - 1], opened.order[index + 1]];
  return { place: opened.place, ...(before && { before }), ...(after && { after }) };
}

/** The row that the keys act on, and the selected rows, of a list. */
export function useSelection(place: Place, items: readonly Item[]) {
  const key = keyOfPlace(place);
  const [current, setCurrent] = useState(() => lastCurrent.get(key));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const index = items.findIndex(({ id }) => id === current);
  const select = (id: string | undefined) => {
    setCurrent(id);
    if (id !== undefined) lastCurrent.set(key, id);
  };
  const step = (by: number) => {
    const next = items[index < 0 ? 0 : Math.max(0, Math.min(index + by, items.length - 1))];
    if (next) select(next.id);
  };
  const chosen = selected.size > 0 ? items.filter(({ id }) => selected.has(id)) : [];
  const currentItem = items[index];
  return {
    current,
    setCurrent: select,
    selected,
    setSelected,
    toggle: (id: string) => {
      const next = new Set(selected);
      if (!next.delete(id)) next.add(id);
      setSelected(next);
    },
    step,
    /** The selected rows in the order of the list. */
    chosen,
    /** What an action acts on: the selected rows, else the current one. */
    targets: chosen.length > 0 ? chosen : currentItem ? [currentItem] : [],
    currentItem,
    /** Before rows go away: the keys go on at the next one. */
    leave: (gone: readonly Item[]) => {
      const ids = new Set(gone.map(({ id }) => id));
      const at = items.findIndex(({ id }) => ids.has(id));
      const next =
        items.slice(at).find(({ id }) => !ids.has(id)) ??
        items.slice(0, at).findLast(({ id }) => !ids.has(id));
      setSelected(new Set());
      select(next?.id);
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;

/** Puts the focus on the list, where its keys are. */
export function focusList(): void {
  document.querySelector<HTMLElement>('#content [role=grid]')?.focus();
}
