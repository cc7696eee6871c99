import { useEffect, useMemo, useState } from 'react';
import type { Place } from './places.ts';
import type { MailRecord } from './records.ts';
import { type Row, recordIn } from './use-rows.ts';

interface SelectionOf {
  place: Place;
  opened: string | undefined;
  items: readonly Row[];
  /** Opens a message, or closes the one that is open. */
  show(id: string | undefined, isReplaced: boolean): void;
}

/** The rows of a list that are selected, the current one, and the messages that the keys act on. */
export function useSelection({ place, opened, items, show }: SelectionOf) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState(opened);
  const targets = useTargets(items, selected, current);
  useEffect(() => setCurrent((before) => opened ?? before), [opened]);
  /** Goes on with the message after those that leave the list. */
  const onLeave = (leaving: readonly MailRecord[]) => {
    if (place.kind === 'search') return;
    const ids = new Set(leaving.map(({ id }) => id));
    setSelected(new Set());
    if (current === undefined || !ids.has(current)) return;
    const next = nextOf(items, current, ids);
    setCurrent(next?.id);
    if (opened !== undefined) show(next?.id, true);
  };
  return { selected, setSelected, current, setCurrent, targets, onLeave };
}

/** The row that stays after the current one, else the one before it. */
function nextOf(items: readonly Row[], current: string, leaving: ReadonlySet<string>): Row | undefined {
  const at = items.findIndex(({ id }) => id === current);
  return (
    items.slice(at + 1).find(({ id }) => !leaving.has(id)) ??
    items.slice(0, at).findLast(({ id }) => !leaving.has(id))
  );
}

/** What the keys act on: what is selected, else the current message. */
function useTargets(
  items: readonly Row[],
  selected: ReadonlySet<string>,
  current: string | undefined,
): readonly MailRecord[] {
  return useMemo(() => {
    const ids = selected.size > 0 ? selected : new Set(current === undefined ? [] : [current]);
    return items.filter(({ id }) => ids.has(id)).flatMap((row) => recordIn(row) ?? []);
  }, [items, selected, current]);
}
