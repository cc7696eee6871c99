import { type RefObject, useLayoutEffect, useRef } from 'react';

interface SteadyList<T> {
  items: readonly T[];
  keyOf(item: T): string;
  /** In pixels. */
  rowHeight: number;
}

/** What comes or goes above the visible rows of a scrolled list does not move them. */
export function useSteadyScroll<T>(scroller: RefObject<HTMLElement | null>, list: SteadyList<T>): void {
  const { items, keyOf, rowHeight } = list;
  const top = useRef<{ key: string; index: number }>(undefined);
  // Only other rows move what is visible.
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = top.current;
    if (!element || !before || element.scrollTop === 0) return;
    const index = items.findIndex((item) => keyOf(item) === before.key);
    if (index >= 0) element.scrollTop += (index - before.index) * rowHeight;
  }, [items]);
  useLayoutEffect(() => {
    const index = Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight);
    const item = items[index];
    top.current = item && { key: keyOf(item), index };
  });
}
