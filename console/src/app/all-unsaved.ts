import { useMemo } from 'react';
import { outbox, useOutbox } from './outbox.ts';
import { type Entry, isHeld } from './outbox-entry.ts';
import { type Unsaved, unsavedThings, useUnsavedThings } from './unsaved.ts';

/** All that the server does not have. */
export interface AllUnsaved {
  /** Without those that another one needs first, which are the same change. */
  entries: readonly Entry[];
  /** Without those that wait in the outbox. */
  things: readonly Unsaved[];
  count: number;
  /** How many need the person. */
  problems: number;
  /** How many are being saved, or are sent as soon as the server can be reached. */
  moving: number;
}

export function useAllUnsaved(): AllUnsaved {
  const all = useOutbox();
  const told = useUnsavedThings();
  return useMemo(() => together(all, told), [all, told]);
}

function together(all: readonly Entry[], told: readonly Unsaved[]): AllUnsaved {
  const needed = new Set(all.map(({ after }) => after));
  const entries = all.filter(({ id, problem }) => problem || !needed.has(id));
  const lanes = new Set(all.map(({ lane }) => lane));
  const things = told.filter(({ lane }) => lane === undefined || !lanes.has(lane));
  const sum = (some: readonly Unsaved[]) => some.reduce((n, { count = 1 }) => n + count, 0);
  const withProblem = entries.filter(({ problem }) => problem).length;
  const count = entries.length + sum(things);
  const problems = withProblem + sum(things.filter(({ state }) => state === 'problem'));
  const waiting = sum(things.filter(({ state }) => state === 'waiting'));
  return { entries, things, count, problems, moving: count - problems - waiting };
}

/**
 * Has the browser ask before the page goes while something is not saved. What is held back to be taken back is not asked about:
 * it is sent when the page goes.
 */
export function warnBeforeLeaving(): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    const now = Date.now();
    const isAsked = (entry: Entry) =>
      !outbox.isLasting() || (!entry.problem && (!isHeld(entry, now) || entry.after !== undefined));
    if (outbox.entries().some(isAsked) || unsavedThings().some(({ withPage }) => withPage !== 'apart'))
      event.preventDefault();
  };
  addEventListener('beforeunload', warn);
  return () => removeEventListener('beforeunload', warn);
}
