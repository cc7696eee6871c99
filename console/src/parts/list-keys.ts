import { type FocusEvent, type KeyboardEvent, type MouseEvent, useRef } from 'react';

interface KeyedList<T> {
  items: readonly T[];
  keyOf(item: T): string;
  current: string | undefined;
  onCurrent(key: string): void;
  selected: ReadonlySet<string>;
  onSelect(selected: ReadonlySet<string>): void;
  onOpen(item: T): void;
}

/**
 * The keys and presses of a list. Arrows, Home, End and the Page keys move the current row; with Shift they select a range.
 * Space and Control with a press select single rows, Control-a all that are loaded, Escape none; Enter and a press open.
 * `rowsOfPage` tells how many rows are visible.
 */
export function useListKeys<T>(list: KeyedList<T>, rowsOfPage: () => number) {
  const { items, keyOf, current, selected } = list;
  const anchor = useRef<string>(undefined);
  const indexOf = (key: string | undefined) =>
    key === undefined ? -1 : items.findIndex((item) => keyOf(item) === key);
  const currentIndex = indexOf(current);

  const selectRange = (from: string, to: string) => {
    anchor.current = from;
    const [begin = 0, end = 0] = [indexOf(from), indexOf(to)].sort((a, b) => a - b);
    list.onSelect(new Set(items.slice(Math.max(begin, 0), end + 1).map(keyOf)));
  };
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    anchor.current = key;
    list.onSelect(next);
  };
  const moveTo = (index: number, isRange: boolean) => {
    const item = items[Math.max(0, Math.min(index, items.length - 1))];
    if (item === undefined) return;
    const key = keyOf(item);
    if (isRange) selectRange(anchor.current ?? current ?? key, key);
    else anchor.current = undefined;
    list.onCurrent(key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys with Alt belong to the page, such as those that move what is in the row.
    if (event.target !== event.currentTarget || event.altKey) return;
    const target = targetOf(event.key, currentIndex, items.length, rowsOfPage());
    const item = items[currentIndex];
    if (target !== undefined) moveTo(target, event.shiftKey);
    else if (event.key === 'Enter' && item !== undefined) list.onOpen(item);
    else if (event.key === ' ' && current !== undefined) toggle(current);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) list.onSelect(new Set(items.map(keyOf)));
    else if (event.key === 'Escape' && selected.size > 0) list.onSelect(new Set());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocus = (event: FocusEvent) => {
    if (event.target === event.currentTarget && currentIndex < 0) moveTo(0, false);
  };
  const onClick = (event: MouseEvent, item: T) => {
    // What is in a row and can be pressed acts by itself.
    if (event.target instanceof Element && event.target.closest('button,a,input,label')) return;
    const key = keyOf(item);
    if (event.shiftKey) return selectRange(anchor.current ?? current ?? key, key);
    if (event.ctrlKey || event.metaKey) return toggle(key);
    anchor.current = undefined;
    list.onCurrent(key);
    list.onOpen(item);
  };
  return { currentIndex, onKeyDown, onFocus, onClick };
}

/** The row to which a key moves. */
function targetOf(key: string, current: number, count: number, rowsOfPage: number): number | undefined {
  const page = Math.max(1, rowsOfPage - 1);
  const targets: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  };
  return targets[key];
}
