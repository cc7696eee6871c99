import { Link } from '@tanstack/react-router';
import { type DragEvent, type ReactNode, useState } from 'react';
import { numberText } from '../app/texts.ts';
import { DRAGGED, draggedIds } from './drag.ts';
import styles from './folder-pane.module.css';
import { linkTo, type Place } from './places.ts';

interface PlaceItemProps {
  place: Place;
  isHere: boolean;
  icon: ReactNode;
  name: string;
  title?: string;
  depth?: number;
  count?: number;
  countText?: string;
  menu?: ReactNode;
  onDrop?(ids: readonly string[]): void;
  onChosen: (() => void) | undefined;
}

/** A place of the folder pane; messages are dropped onto it where it has `onDrop`. */
export function PlaceItem({ place, isHere, icon, name, menu, onDrop, onChosen, ...shown }: PlaceItemProps) {
  const { title = name, depth = 0, count = 0, countText } = shown;
  const [isOver, setOver] = useState(false);
  const drop = onDrop && {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      event.preventDefault();
      onDrop(draggedIds(event.dataTransfer));
    },
  };
  return (
    <li className={styles.item} data-here={isHere || undefined} data-over={isOver || undefined} {...drop}>
      <Link
        {...linkTo(place)}
        className={styles.link}
        title={title}
        style={{ paddingInlineStart: 8 + Math.min(depth, 6) * 14 }}
        onClick={onChosen}
        {...(isHere && { 'aria-current': 'page' as const })}
      >
        {icon}
        <span className={styles.name} dir="auto">
          {name}
        </span>
        {count > 0 && (
          <span className={styles.count}>
            <span aria-hidden="true">{numberText(count)}</span>
            <span className="visually-hidden">, {countText}</span>
          </span>
        )}
      </Link>
      {menu && <span className={styles.menu}>{menu}</span>}
    </li>
  );
}
