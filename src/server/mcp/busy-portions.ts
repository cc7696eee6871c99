import { type Place, type Portion, portionOf } from './portions.ts';

/** The answer of a free/busy query, as far as it is divided. */
interface FreeBusy {
  attendees: readonly Entry[];
  resources: readonly Entry[];
  unknown_attendees: readonly string[];
  unknown_resources: readonly string[];
}

/** Somebody, and when they are busy. */
interface Entry {
  busy: readonly unknown[];
}

/** One busy time of an entry of a list, all there is of an entry without any, or one of the unknown. */
interface Row {
  list: keyof FreeBusy;
  /** The number of the entry in its list. */
  entry: number;
  of: object | string;
  busy?: unknown;
}

const LISTS = ['attendees', 'resources', 'unknown_attendees', 'unknown_resources'] as const;

/**
 * The part of the answer of a free/busy query from a place on. A busy time is a row of it, as an event is one of a list: whole
 * entries would be as long as a year is full (MCP-50).
 */
export function busyPortion(data: unknown, from?: Place): Portion {
  const answer = data as FreeBusy;
  const all = LISTS.flatMap((list) => answer[list].flatMap((of, entry) => rowsOf(list, entry, of)));
  const { data: rows, nextCursor } = portionOf(all, from);
  const lists = Map.groupBy(rows as readonly Row[], ({ list }) => list);
  const shown = LISTS.filter((list) => lists.has(list) || answer[list].length === 0);
  return {
    data: Object.fromEntries(shown.map((list) => [list, entriesOf(lists.get(list) ?? [])])),
    nextCursor,
  };
}

function rowsOf(list: keyof FreeBusy, entry: number, of: Entry | string): Row[] {
  if (typeof of === 'string') return [{ list, entry, of }];
  const { busy: times, ...named } = of;
  if (times.length === 0) return [{ list, entry, of: named }];
  return times.map((busy) => ({ list, entry, of: named, busy }));
}

/** The entries of which these are rows, each with those of its busy times that are among them. */
function entriesOf(rows: readonly Row[]): (object | string)[] {
  return Array.from(Map.groupBy(rows, ({ entry }) => entry).values(), (ofOne) => {
    const [{ of } = { of: '' }] = ofOne;
    if (typeof of === 'string') return of;
    return { ...of, busy: ofOne.map(({ busy }) => busy).filter((time) => time !== undefined) };
  });
}
