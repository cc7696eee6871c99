import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { useListKeys } from './list-keys.ts';
import { useSteadyScroll } from './steady-scroll.ts';
import styles from './windowed-list.module.css';

export interface WindowedListProps<T> {
  /** What the list holds, for screen readers. */
  label: string;
  items: readonly T[];
  keyOf(item: T): string;
  /** In pixels; all rows have it. */
  rowHeight: number;
  /** The content of a row. */
  renderRow(item: T, state: { isSelected: boolean; isCurrent: boolean }): ReactNode;
  /** The key of the row that the keys act on. */
  current: string | undefined;
  onCurrent(key: string): void;
  selected: ReadonlySet<string>;
  onSelect(selected: ReadonlySet<string>): void;
  /** Enter, or a press on a row. */
  onOpen(item: T): void;
  /** The end of what is loaded comes near: load the next page. */
  onNearEnd?(): void;
  /** How many rows there are in all, where it is known. */
  total?: number;
  /** Lets rows be dragged: what is dragged, by type. */
  dragData?(item: T): Record<string, string>;
}

/** Rows beyond the visible ones that are drawn, so that fast scrolling shows no blank. */
const OVERSCAN = 12;
/** The next page is asked for when this many loaded rows are left. */
const NEAR_END = 60;

/** A list of any length of which only the visible rows are drawn; `useListKeys` tells its keys. */
export function WindowedList<T>(props: WindowedListProps<T>) {
  const { label, items, keyOf, rowHeight, current, onNearEnd, total } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (items.length > 0 && last >= items.length - NEAR_END) onNearEnd?.();
  }, [last, items.length, onNearEnd]);
  useSteadyScroll(scroller, props);
  const rowsOfPage = () => Math.floor((scroller.current?.clientHeight ?? rowHeight) / rowHeight);
  const { currentIndex, onKeyDown, onFocus, onClick } = useListKeys(props, rowsOfPage);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (currentIndex < 0 || shown.current === current) return;
    shown.current = current;
    virtualizer.scrollToIndex(currentIndex);
  }, [current, currentIndex, virtualizer]);
  return (
    <div
      ref={scroller}
      className={styles.list}
      role="grid"
      aria-label={label}
      aria-rowcount={total ?? items.length}
      aria-multiselectable="true"
      aria-activedescendant={currentIndex >= 0 ? `${id}-${currentIndex}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
    >
      <div className={styles.space} role="presentation" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const isCurrent = index === currentIndex;
          return (
            <Row
              key={keyOf(item)}
              {...{ list: props, item, index, start, isCurrent, onClick }}
              id={`${id}-${index}`}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps<T> {
  list: WindowedListProps<T>;
  item: T;
  id: string;
  index: number;
  /** In pixels, from the first row. */
  start: number;
  isCurrent: boolean;
  onClick(event: MouseEvent, item: T): void;
}

function Row<T>({ list, item, id, index, start, isCurrent, onClick }: RowProps<T>) {
  const { rowHeight, renderRow, keyOf, selected, dragData } = list;
  const isSelected = selected.has(keyOf(item));
  return (
    <div
      id={id}
      className={styles.row}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-current={isCurrent || undefined}
      draggable={dragData !== undefined}
      onDragStart={(event) => {
        for (const [type, data] of Object.entries(dragData?.(item) ?? {}))
          event.dataTransfer.setData(type, data);
      }}
      onClick={(event) => onClick(event, item)}
      style={{ height: rowHeight, transform: `translateY(${start}px)` }}
    >
      <div role="gridcell" className={styles.cell}>
        {renderRow(item, { isSelected, isCurrent })}
      </div>
    </div>
  );
}
